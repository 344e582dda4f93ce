import { type DeepReadonly, type FieldError, invalid } from "@bowline/api";
import { defineWebhook } from "@bowline/runtime";
import { Application } from "../api/v1/application.ts";

/**
 * What the schema cannot say. Defaults of single fields and rules in CEL belong into the kind: those work without a webhook.
 */
export const applicationWebhook = defineWebhook(Application, {
  default: defaultApplication,
  validateCreate: checkApplication,
  validateUpdate: checkApplication,
});

/** The object with what was left out filled in: `image: nginx:1.25` becomes image `nginx`, version `1.25`. */
export function defaultApplication(application: DeepReadonly<Application>): DeepReadonly<Application> {
  const { image, version } = application.spec;
  const tag = tagOf(image);
  if (tag === undefined || version !== undefined) return application;
  const name = image.slice(0, -(tag.length + 1));
  return { ...application, spec: { ...application.spec, image: name, version: tag } };
}

/** What is wrong with the object; empty when nothing is. */
export function applicationProblems(application: DeepReadonly<Application>): FieldError[] {
  const { image, version } = application.spec;
  const tag = tagOf(image);
  if (tag === undefined) return [];
  const detail = `must be without a tag: it says ${tag}, and spec.version says ${version}`;
  return [{ type: "Invalid", field: "spec.image", badValue: image, detail }];
}

function checkApplication(application: DeepReadonly<Application>): string[] {
  const problems = applicationProblems(application);
  if (problems.length > 0) throw invalid(Application, application.metadata.name ?? "", problems);
  const { version = "latest" } = application.spec;
  return version === "latest" ? ["spec.version: latest may be another image tomorrow"] : [];
}

/** `1.25` of `nginx:1.25`; a colon before the last slash belongs to a registry's port. */
function tagOf(image: string): string | undefined {
  const name = image.slice(image.lastIndexOf("/") + 1);
  return name.includes(":") ? name.slice(name.indexOf(":") + 1) : undefined;
}
