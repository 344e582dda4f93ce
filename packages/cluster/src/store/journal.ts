import type { StoreEvent } from "./watch-hub.ts";
import type { StoredObject } from "./revision.ts";

/** One object as a journal gives it back. */
export interface JournalEntry {
  /** `group/plural`. */
  readonly bucket: string;
  readonly key: string;
  readonly revision: number;
  readonly object: StoredObject;
}

/** What a journal holds when it is opened. */
export interface JournalContent {
  /** The highest revision that was made durable; 0 for an empty one. */
  readonly revision: number;
  readonly entries: Iterable<JournalEntry>;
}

/** Keeps what is committed beyond the life of the process. */
export interface Journal {
  read(): JournalContent;
  /** Takes a commit over, in commit order. Must not wait. */
  append(bucket: string, event: StoreEvent): void;
  /** Resolves when everything appended so far survives the end of the process, however it ends. */
  flush(): Promise<void>;
  /** Flushes and gives the folder back. */
  close(): Promise<void>;
}

/** A folder that cannot hold a cluster's data, or holds something else; the text says what to do. */
export class DataFolderError extends Error {
  override readonly name: string = "DataFolderError";
  readonly code: string = "BOWLINE_DATA_FOLDER";
}
