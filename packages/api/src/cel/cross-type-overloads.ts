const numeric = [
  ["double", "int64"],
  ["double", "uint64"],
  ["int64", "double"],
  ["int64", "uint64"],
  ["uint64", "double"],
  ["uint64", "int64"],
];

/** Comparisons of numbers of different types, which an environment may leave out. Source: cel-go checker/env.go. */
export const crossTypeOverloads: ReadonlySet<string> = new Set(
  ["less", "less_equals", "greater", "greater_equals"].flatMap((relation) =>
    numeric.map(([left, right]) => `${relation}_${left}_${right}`),
  ),
);
