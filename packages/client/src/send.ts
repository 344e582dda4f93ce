import type { ClientDefaults } from "./client.ts";
import type { ApiRequest, ApiResponse, Transport } from "./ports/transport.ts";

/** Sends a request and passes the server's warnings to the client's handler. Throws like `Transport.request`. */
export async function send<T>(
  on: { readonly transport: Transport; readonly defaults: ClientDefaults },
  request: ApiRequest,
): Promise<ApiResponse<T>> {
  const response = await on.transport.request<T>(request);
  const { onWarning } = on.defaults;
  if (onWarning !== undefined) {
    for (const text of response.warnings) onWarning(text, { method: request.method, path: request.path });
  }
  return response;
}
