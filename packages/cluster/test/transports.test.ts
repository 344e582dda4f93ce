import { connectionFromKubeconfig, createHttpTransport } from "@bowline/client";
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
  const transport = createHttpTransport(await connectionFromKubeconfig(kubeconfig), { http2 });
  return {
    transport,
    async close() {
      await transport.close();
      await cluster.close();
    },
  };
}

transportSuite("HTTPS to the embedded server", () => overHttps(true));
transportSuite("HTTPS to the embedded server, HTTP/1.1 alone", () => overHttps(false));
