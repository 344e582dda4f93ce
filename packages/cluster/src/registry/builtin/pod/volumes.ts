/** Volumes of a pod. Source: kubernetes pkg/apis/core/validation (ValidateVolumes). */
import { dns1123SubdomainErrors } from "@bowline/api";
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  VolumeProjection,
} from "@bowline/api/core/v1";
import type { DeepReadonly } from "@bowline/api";
import {
  checkDnsLabel,
  checkLabelSelector,
  checkOneOf,
  checkQualifiedName,
  quantityOf,
} from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { checkClaimSpec } from "../storage/claim-spec.ts";
import { checkFieldRef, checkResourceFieldRef, volumeFieldPaths } from "./downward.ts";

/** A volume as it is on the wire: a name and, one would hope, one source. */
export interface Volume {
  readonly name?: string;
  readonly [source: string]: unknown;
}

type SourceFields = Readonly<Record<string, never>>;

interface VolumeCheck {
  readonly problems: FieldProblems;
  readonly volume: Volume;
  readonly path: string;
  readonly podName: string;
}

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

/**
 * Checks the volumes and returns those that are in order, by name: mounts of others are not found.
 * @param podName `""` where it is not known (templates)
 */
export function checkVolumes(
  problems: FieldProblems,
  path: string,
  volumes: readonly Volume[],
  podName: string,
): ReadonlyMap<string, Volume> {
  const found = new Map<string, Volume>();
  const created = new Set(
    podName === "" ? [] : volumes.filter((v) => v["ephemeral"]).map((v) => `${podName}-${v.name}`),
  );
  volumes.forEach((volume, i) => {
    const at = `${path}[${i}]`;
    const { name = "" } = volume;
    const before = problems.list.length;
    checkSource({ problems, volume, path: at, podName });
    if (name === "") problems.required(`${at}.name`);
    else checkDnsLabel(problems, `${at}.name`, name);
    if (found.has(name)) problems.duplicate(`${at}.name`, name);
    if (problems.list.length === before) found.set(name, volume);
    const claim = (volume["persistentVolumeClaim"] as { claimName?: string } | undefined)?.claimName;
    if (claim !== undefined && created.has(claim)) {
      problems.invalid(
        `${at}.persistentVolumeClaim.claimName`,
        claim,
        "must not reference a PVC that gets created for an ephemeral volume",
      );
    }
  });
  return found;
}

/** Sources in the order in which they are looked at; the second one is one too many. */
const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const;

function checkSource(check: VolumeCheck): void {
  const { problems, volume, path } = check;
  let count = 0;
  for (const source of sourceOrder) {
    if (volume[source] === undefined) continue;
    count++;
    if (count > 1) problems.forbidden(`${path}.${source}`, "may not specify more than 1 volume type");
    else sourceChecks[source]?.(check, volume[source] as never, `${path}.${source}`);
  }
  if (count === 0) problems.required(path, "must specify a volume type");
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const sourceChecks: Readonly<
  Record<string, (check: VolumeCheck, source: SourceFields, path: string) => void>
> = {
  emptyDir({ problems }, { sizeLimit }, path) {
    if (sizeLimit !== undefined && quantityOf(sizeLimit).unscaled < 0n) {
      problems.forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
    }
  },
  hostPath({ problems }, source, path) {
    if (!source["path"]) {
      problems.required(`${path}.path`);
      return;
    }
    checkNoBacksteps(problems, `${path}.path`, source["path"]);
    checkOneOf(problems, `${path}.type`, source["type"], hostPathTypes);
  },
  gitRepo({ problems }, source, path) {
    if (!source["repository"]) problems.required(`${path}.repository`);
    checkLocalDescendingPath(problems, `${path}.directory`, source["directory"] ?? "");
  },
  secret({ problems }, source, path) {
    if (!source["secretName"]) problems.required(`${path}.secretName`);
    checkMode(problems, `${path}.defaultMode`, source["defaultMode"]);
    checkItems(problems, `${path}.items`, source["items"]);
  },
  configMap({ problems }, source, path) {
    if (!source["name"]) problems.required(`${path}.name`);
    checkMode(problems, `${path}.defaultMode`, source["defaultMode"]);
    checkItems(problems, `${path}.items`, source["items"]);
  },
  nfs({ problems }, source, path) {
    if (!source["server"]) problems.required(`${path}.server`);
    if (!source["path"]) problems.required(`${path}.path`);
    if (!String(source["path"] ?? "").startsWith("/")) {
      problems.invalid(`${path}.path`, source["path"] ?? "", "must be an absolute path");
    }
  },
  persistentVolumeClaim({ problems }, source, path) {
    if (!source["claimName"]) problems.required(`${path}.claimName`);
  },
  downwardAPI({ problems }, source, path) {
    checkMode(problems, `${path}.defaultMode`, source["defaultMode"]);
    for (const file of (source["items"] ?? []) as readonly never[]) checkDownwardFile(problems, path, file);
  },
  projected({ problems }, source, path) {
    checkProjected(problems, path, source);
  },
  csi({ problems }, source, path) {
    checkCsiDriverName(problems, `${path}.driver`, source["driver"] ?? "");
    const reference = source["nodePublishSecretRef"] as { name?: string } | undefined;
    if (reference !== undefined && !reference.name) problems.required(`${path}.nodePublishSecretRef.name`);
  },
  ephemeral({ problems, volume, podName, path: at }, source, path) {
    const template = source["volumeClaimTemplate"] as { spec?: never } | undefined;
    if (template === undefined) problems.required(`${path}.volumeClaimTemplate`);
    else checkClaimSpec(problems, `${path}.volumeClaimTemplate.spec`, template.spec ?? ({} as never));
    if (podName === "" || !volume.name) return;
    const claim = `${podName}-${volume.name}`;
    for (const text of dns1123SubdomainErrors(claim))
      problems.invalid(`${at}.name`, volume.name, `PVC name "${claim}": ${text}`);
  },
  image({ problems }, source, path) {
    if (!source["reference"]) problems.required(`${path}.reference`);
    checkOneOf(problems, `${path}.pullPolicy`, source["pullPolicy"], ["Always", "IfNotPresent", "Never"]);
  },
};

export function checkCsiDriverName(problems: FieldProblems, field: string, name: string): void {
  if (name === "") return problems.required(field);
  if (name.length > 63) problems.tooLong(field, 63);
  problems.allInvalid(field, name, dns1123SubdomainErrors(name.toLowerCase()));
}

function checkMode(problems: FieldProblems, field: string, mode: number | undefined): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) problems.invalid(field, mode, modeText);
}

function checkItems(
  problems: FieldProblems,
  path: string,
  items: readonly DeepReadonly<KeyToPath>[] | undefined,
): void {
  items?.forEach((item, i) => {
    checkKeyToPath(problems, `${path}[${i}]`, item);
  });
}

function checkKeyToPath(problems: FieldProblems, path: string, item: DeepReadonly<KeyToPath>): void {
  if (!item.key) problems.required(`${path}.key`);
  if (!item.path) problems.required(`${path}.path`);
  checkLocalNonReservedPath(problems, `${path}.path`, item.path ?? "");
  checkMode(problems, `${path}.mode`, item.mode);
}

function checkDownwardFile(
  problems: FieldProblems,
  path: string,
  file: DeepReadonly<DownwardAPIVolumeFile>,
): void {
  if (!file.path) problems.required(`${path}.path`);
  checkLocalNonReservedPath(problems, `${path}.path`, file.path ?? "");
  if (file.fieldRef !== undefined) {
    checkFieldRef(problems, `${path}.fieldRef`, file.fieldRef, volumeFieldPaths);
    if (file.resourceFieldRef !== undefined) {
      problems.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.resourceFieldRef !== undefined) {
    checkResourceFieldRef(problems, `${path}.resourceFieldRef`, file.resourceFieldRef, { inVolume: true });
  } else {
    problems.required(path, "one of fieldRef and resourceFieldRef is required");
  }
  checkMode(problems, `${path}.mode`, file.mode);
}

const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

function checkProjected(
  problems: FieldProblems,
  path: string,
  projected: DeepReadonly<ProjectedVolumeSource>,
): void {
  checkMode(problems, `${path}.defaultMode`, projected.defaultMode);
  const paths = new Set<string>();
  projected.sources?.forEach((source, i) => {
    checkProjection({ problems, path, paths, source, at: `${path}.sources[${i}]` });
  });
}

interface ProjectionCheck {
  readonly problems: FieldProblems;
  /** Of the volume source, where some errors are reported. */
  readonly path: string;
  readonly at: string;
  /** Files so far. */
  readonly paths: Set<string>;
  readonly source: DeepReadonly<VolumeProjection>;
}

function checkProjection(check: ProjectionCheck): void {
  const { problems, source, at } = check;
  let count = 0;
  for (const kind of ["secret", "configMap"] as const) {
    const keys = source[kind];
    if (keys === undefined) continue;
    count++;
    if (!keys.name) problems.required(`${at}.${kind}.name`);
    keys.items?.forEach((item, i) => {
      checkKeyToPath(problems, `${at}.${kind}.items[${i}]`, item);
      addPath(check, item.path, keys.name ?? "");
    });
  }
  if (source.downwardAPI !== undefined) {
    count++;
    for (const file of source.downwardAPI.items ?? []) {
      checkDownwardFile(problems, `${at}.downwardAPI`, file);
      addPath(check, file.path, file.path);
    }
  }
  if (source.serviceAccountToken !== undefined) {
    count++;
    checkTokenProjection(check);
  }
  if (source.clusterTrustBundle !== undefined) {
    count++;
    checkTrustBundle(check);
  }
  if (count > 1) problems.forbidden(at, "may not specify more than 1 volume type per source");
}

function addPath(
  { problems, paths, path }: ProjectionCheck,
  file: string | undefined,
  badValue: string,
): void {
  if (!file) return;
  if (paths.has(file)) problems.invalid(path, badValue, "conflicting duplicate paths");
  paths.add(file);
}

function checkTokenProjection({ problems, source, path, at }: ProjectionCheck): void {
  const { expirationSeconds, path: file } = source.serviceAccountToken as {
    expirationSeconds?: number;
    path?: string;
  };
  const seconds = Number(expirationSeconds ?? 0);
  const field = `${at}.serviceAccountToken.expirationSeconds`;
  if (seconds < tokenSecondsMin)
    problems.invalid(field, seconds, "may not specify a duration less than 10 minutes");
  if (seconds > tokenSecondsMax)
    problems.invalid(field, seconds, "may not specify a duration larger than 2^32 seconds");
  if (!file) problems.required(`${path}.path`);
  else checkLocalNonReservedPath(problems, `${path}.path`, file);
}

function checkTrustBundle(check: ProjectionCheck): void {
  const { problems, source, at } = check;
  const bundle = source.clusterTrustBundle as DeepReadonly<
    NonNullable<VolumeProjection["clusterTrustBundle"]>
  >;
  const path = `${at}.clusterTrustBundle`;
  const { name, signerName } = bundle;
  if (name !== undefined && signerName !== undefined) {
    problems.invalid(path, bundle, "only one of name and signerName may be used");
  } else if (name !== undefined) {
    if (name === "") problems.required(`${path}.name`, "must be a valid object name");
    if (bundle.labelSelector !== undefined) {
      problems.invalid(
        `${path}.labelSelector`,
        bundle.labelSelector,
        "labelSelector must be unset if name is specified",
      );
    }
  } else if (signerName !== undefined) {
    if (signerName === "") problems.required(`${path}.signerName`, "must be a valid signer name");
    else checkQualifiedName(problems, `${path}.signerName`, signerName);
    checkLabelSelector(problems, `${path}.labelSelector`, bundle.labelSelector as never);
  } else problems.required(path, "either name or signerName must be specified");
  if (!bundle.path) problems.required(`${path}.path`);
  checkLocalNonReservedPath(problems, `${path}.path`, bundle.path ?? "");
  addPath(check, bundle.path, bundle.path);
}

/** Not absolute, no `..`. */
export function checkLocalDescendingPath(problems: FieldProblems, field: string, path: string): void {
  if (path.startsWith("/")) problems.invalid(field, path, "must be a relative path");
  checkNoBacksteps(problems, field, path);
}

export function checkNoBacksteps(problems: FieldProblems, field: string, path: string): void {
  if (hasBacksteps(path)) problems.invalid(field, path, "must not contain '..'");
}

export function hasBacksteps(path: string): boolean {
  return path.includes("..") && path.split("/").includes("..");
}

function checkLocalNonReservedPath(problems: FieldProblems, field: string, path: string): void {
  checkLocalDescendingPath(problems, field, path);
  if (path.startsWith("..") && !path.startsWith("../"))
    problems.invalid(field, path, "must not start with '..'");
}
