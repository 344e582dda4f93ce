import type { CrdConversion, CrdSpec, CustomResourceDefinition } from "./custom-resource-definition.ts";

/**
 * Fills in what the server fills in: `names.singular`, `names.listKind`, conversion `None`, the port of a conversion
 * service, the storage version in `status.storedVersions`. The same reference when nothing changed.
 * Source: apiextensions/v1 defaults.go.
 */
export function defaultCrd(given: CustomResourceDefinition): CustomResourceDefinition {
  const crd = (given.spec as unknown) === undefined ? { ...given, spec: emptySpec } : given;
  const spec = defaultSpec(crd.spec);
  const status = defaultStatus(crd);
  return spec === given.spec && status === given.status
    ? crd
    : { ...crd, spec, ...(status === undefined ? {} : { status }) };
}

/** What a body without a spec is told the faults of. */
const emptySpec: CrdSpec = { group: "", names: { plural: "", kind: "" }, scope: "" as never, versions: [] };

function defaultSpec(spec: CrdSpec): CrdSpec {
  const names = defaultNames(spec.names);
  const conversion = defaultConversion(spec.conversion);
  return names === spec.names && conversion === spec.conversion ? spec : { ...spec, names, conversion };
}

function defaultNames(given: CrdSpec["names"] | undefined): CrdSpec["names"] {
  const names = given ?? { plural: "", kind: "" };
  const kind = names.kind ?? "";
  if ((names.singular ?? "") !== "" && ((names.listKind ?? "") !== "" || kind === "")) return names;
  return {
    ...names,
    singular: names.singular || kind.toLowerCase(),
    ...(kind === "" && !names.listKind ? {} : { listKind: names.listKind || `${kind}List` }),
  };
}

const httpsPort = 443;

function defaultConversion(conversion: CrdConversion | undefined): CrdConversion {
  if (conversion === undefined) return { strategy: "None" };
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (webhook === undefined || service === undefined || service.port !== undefined) return conversion;
  const clientConfig = { ...webhook.clientConfig, service: { ...service, port: httpsPort } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

function defaultStatus(crd: CustomResourceDefinition): CustomResourceDefinition["status"] {
  if ((crd.status?.storedVersions?.length ?? 0) > 0) return crd.status;
  const storage = crd.spec.versions?.find((version) => version.storage);
  if (storage === undefined) return crd.status;
  const empty = { conditions: null, acceptedNames: { plural: "", kind: "" } };
  return { ...empty, ...crd.status, storedVersions: [storage.name] };
}
