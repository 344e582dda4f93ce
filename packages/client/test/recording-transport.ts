import { deepFreeze } from "@bowline/api";
import type {
  ApiRequest,
  ApiResponse,
  ByteStream,
  Transport,
  WatchEvent,
  WatchStream,
} from "../src/index.ts";

/** What a test answers: a body, or an error to throw. */
export type Answer = (request: ApiRequest) => unknown;

/** A transport that keeps what it was asked and answers what the test says. */
export class RecordingTransport implements Transport {
  readonly requests: ApiRequest[] = [];
  readonly #answer: Answer;
  warnings: string[] = [];

  constructor(answer: Answer = () => ({})) {
    this.#answer = answer;
  }

  get last(): ApiRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("nothing was sent");
    return last;
  }

  async request<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    this.requests.push(request);
    const body = await this.#answer(request);
    if (body instanceof Error) throw body;
    return { status: 200, headers: {}, body: deepFreeze(body) as T, warnings: this.warnings };
  }

  async watch<T>(request: ApiRequest): Promise<WatchStream<T>> {
    this.requests.push(request);
    const batches = (await this.#answer(request)) as WatchEvent<T>[][];
    return {
      close: () => {},
      async *[Symbol.asyncIterator]() {
        yield* batches;
      },
    };
  }

  async stream(request: ApiRequest): Promise<ByteStream> {
    this.requests.push(request);
    const chunks = (await this.#answer(request)) as string[];
    return {
      close: () => {},
      async *[Symbol.asyncIterator]() {
        for (const chunk of chunks) yield Buffer.from(chunk, "latin1");
      },
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
