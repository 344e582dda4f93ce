/** The parameters that operations take. Descriptions are in our own words. Source of names and types: meta/v1 options types. */

export interface ParameterFact {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "boolean" | "integer";
  readonly description: string;
}

function query(name: string, description: string, type: ParameterFact["type"] = "string"): ParameterFact {
  return { name, in: "query", type, description };
}

export const prettyParameter: ParameterFact = query(
  "pretty",
  "If true, the answer is indented for people to read.",
);

export const namespaceParameter: ParameterFact = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "The namespace that the object is in.",
};

export function nameParameter(kind: string): ParameterFact {
  return { name: "name", in: "path", type: "string", description: `name of the ${kind}` };
}

const resourceVersion = query("resourceVersion", "How recent the answer must be; see resourceVersionMatch.");

export const getParameters: readonly ParameterFact[] = [resourceVersion];

export const listParameters: readonly ParameterFact[] = [
  query("allowWatchBookmarks", "If true, a watch sends BOOKMARK events now and then.", "boolean"),
  query("continue", "The token of an earlier page, to get the next one."),
  query("fieldSelector", "Selects objects by some of their fields."),
  query("labelSelector", "Selects objects by their labels."),
  query("limit", "How many objects to answer at most.", "integer"),
  resourceVersion,
  query("resourceVersionMatch", "How resourceVersion is understood: Exact or NotOlderThan."),
  query("sendInitialEvents", "If true, a watch begins with the present objects.", "boolean"),
  query("shardSelector", "Selects the objects of one shard."),
  query("timeoutSeconds", "After how many seconds the request ends.", "integer"),
  query("watch", "If true, changes are sent as they happen.", "boolean"),
];

const dryRun = query("dryRun", "All: do everything except for storing the result.");
const fieldManager = query("fieldManager", "Who makes the change, for the record of managed fields.");
const fieldValidation = query(
  "fieldValidation",
  "What happens on unknown and repeated fields: Ignore, Warn or Strict.",
);

/** Of create and update. */
export const writeParameters: readonly ParameterFact[] = [dryRun, fieldManager, fieldValidation];

export const patchParameters: readonly ParameterFact[] = [
  ...writeParameters,
  query("force", "If true, an apply takes over fields that others own.", "boolean"),
];

export const deleteParameters: readonly ParameterFact[] = [
  dryRun,
  query("gracePeriodSeconds", "How many seconds the object has to end; 0 is at once.", "integer"),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "If true, an object that cannot be read any more is deleted all the same.",
    "boolean",
  ),
  query("orphanDependents", "Deprecated: use propagationPolicy.", "boolean"),
  query("propagationPolicy", "What happens to dependents: Orphan, Background or Foreground."),
];
