import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpTransport, loadConnection } from "@bowline/client";
import { type TransportHarness, transportSuite } from "../../client/test/transport-suite.ts";
import { createCluster } from "../src/cluster.ts";

transportSuite("in process", async (): Promise<TransportHarness> => {
  const cluster = await createCluster();
  return { transport: cluster.transport(), close: () => cluster.close() };
});

/** Over the network, with the kubeconfig that the cluster hands out. */
async function overHttps(http2: boolean): Promise<TransportHarness> {
  const cluster = await createCluster();
  const { kubeconfig } = await cluster.listen();
  const folder = await mkdtemp(join(tmpdir(), "bowline-"));
  const path = join(folder, "config");
  await writeFile(path, kubeconfig);
  const transport = createHttpTransport(await loadConnection({ kubeconfig: path }), { http2 });
  return {
    transport,
    async close() {
      await transport.close();
      await cluster.close();
      await rm(folder, { recursive: true });
    },
  };
}

transportSuite("HTTPS to the embedded server", () => overHttps(true));
transportSuite("HTTPS to the embedded server, HTTP/1.1 alone", () => overHttps(false));
