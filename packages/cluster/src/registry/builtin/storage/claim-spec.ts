/** The spec of a PersistentVolumeClaim, alone or in a template. Source: kubernetes pkg/apis/core/validation. */
import { type DeepReadonly, dns1123LabelErrors, dns1123SubdomainErrors } from "@bowline/api";
import type {
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "@bowline/api/core/v1";
import { checkLabelSelector, checkOneOf, quantityOf, quantityShown, same } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

export type ClaimSpecFields = DeepReadonly<PersistentVolumeClaimSpec>;

export const accessModes: readonly string[] = [
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOnce",
  "ReadWriteOncePod",
];
export const volumeModes: readonly string[] = ["Block", "Filesystem"];

export function checkClaimSpec(problems: FieldProblems, path: string, spec: ClaimSpecFields): void {
  checkAccessModes(
    problems,
    `${path}.accessModes`,
    spec.accessModes ?? [],
    "at least 1 access mode is required",
  );
  checkLabelSelector(problems, `${path}.selector`, spec.selector as never);
  const storage = (spec.resources?.requests as Readonly<Record<string, string>> | undefined)?.["storage"];
  if (storage === undefined) problems.required(`${path}.resources[storage]`);
  else checkPositiveQuantity(problems, `${path}.resources[storage]`, storage);
  checkClassName(problems, `${path}.storageClassName`, spec.storageClassName);
  checkOneOf(problems, `${path}.volumeMode`, spec.volumeMode, volumeModes);
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) checkDataSource(problems, `${path}.dataSource`, dataSource);
  if (dataSourceRef !== undefined) checkDataSource(problems, `${path}.dataSourceRef`, dataSourceRef);
  if (dataSourceRef?.namespace) {
    problems.allInvalid(
      `${path}.dataSourceRef.namespace`,
      dataSourceRef.namespace,
      dns1123LabelErrors(dataSourceRef.namespace),
    );
    if (dataSource !== undefined) {
      problems.invalid(
        path,
        `${path}.dataSource`,
        "may not be specified when dataSourceRef.namespace is specified",
      );
    }
  } else if (dataSource !== undefined && dataSourceRef !== undefined && !same(dataSource, dataSourceRef)) {
    problems.invalid(path, `${path}.dataSource`, "must match dataSourceRef");
  }
  checkClassName(problems, `${path}.volumeAttributesClassName`, spec.volumeAttributesClassName);
}

export function checkAccessModes(
  problems: FieldProblems,
  path: string,
  modes: readonly string[],
  missing: string,
): void {
  if (modes.length === 0) problems.required(path, missing);
  for (const mode of modes) checkOneOf(problems, path, mode, accessModes);
  const known = modes.filter((mode) => accessModes.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod"))
    problems.forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

export function checkClassName(problems: FieldProblems, field: string, name: string | undefined): void {
  if (name) problems.allInvalid(field, name, dns1123SubdomainErrors(name));
}

export function checkPositiveQuantity(problems: FieldProblems, field: string, value: string): void {
  if (quantityOf(value).unscaled <= 0n)
    problems.invalid(field, quantityShown(value), "must be greater than zero");
}

function checkDataSource(
  problems: FieldProblems,
  path: string,
  source: DeepReadonly<TypedLocalObjectReference | TypedObjectReference>,
): void {
  const { apiGroup = "", kind = "", name = "" } = source;
  if (name === "") problems.required(`${path}.name`);
  if (kind === "") problems.required(`${path}.kind`);
  if (apiGroup !== "") problems.allInvalid(`${path}.apiGroup`, apiGroup, dns1123SubdomainErrors(apiGroup));
  else if (kind !== "PersistentVolumeClaim") {
    problems.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
}
