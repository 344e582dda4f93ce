import { createHttpTransport } from "../src/index.ts";
import { ConfigMapServer } from "./config-map-server.ts";
import { startServer } from "./https-server.ts";
import { type TransportHarness, transportSuite } from "./transport-suite.ts";

async function open(http2: boolean): Promise<TransportHarness> {
  const server = await startServer(new ConfigMapServer().handle, { http2 });
  const { url, authority } = server;
  const transport = createHttpTransport({
    server: url,
    ca: authority.ca,
    namespace: "default",
    origin: "test",
  });
  return {
    transport,
    async close() {
      await transport.close();
      await server.close();
    },
  };
}

transportSuite("HTTPS", () => open(false));
transportSuite("HTTPS with watches on HTTP/2", () => open(true));
