import { onTestFinished } from "vitest";
import { startReviewServer } from "../review-server.ts";

/** What a conversion webhook is asked. */
export interface ConversionReview {
  readonly desiredAPIVersion: string;
  readonly objects: readonly object[];
}

/** The conversion of a definition whose webhook answers so, on a server of its own that ends with the test. */
export async function describeConversion(answer: (review: ConversionReview) => object[]): Promise<object> {
  const hook = await startReviewServer();
  onTestFinished(() => hook.close());
  hook.on("/convert", (request) => ({
    result: { status: "Success" },
    convertedObjects: answer(request as unknown as ConversionReview),
  }));
  return {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: `${hook.url}/convert`, caBundle: hook.caBundle },
    },
  };
}
