import { type World } from "../controllers/world.ts";
import { type Sent } from "./endpoint.ts";

export const without = { controllers: false } as const;
export const get = async <T>(world: World, path: string, accept?: string): Promise<T> => {
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  return (await world.cluster.transport().request<T>({ method: "GET", path, headers })).body;
};
export const configMap = (name: string, data: object = {}, labels: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels } as { name: string },
  data,
});
