/** Lists as sets. Source: cel-go ext/sets.go. */
import type { CelLibrary } from "../environment.ts";
import { declare, overload } from "../function.ts";
import { celTypes, listType, typeParam } from "../type.ts";
import { CelError, type CelList, type CelValue, listItems } from "../value.ts";
import { contains } from "./standard.ts";

const { bool } = celTypes;
const listOfT = listType(typeParam("T"));

const items = (list: CelValue | undefined): readonly CelValue[] => listItems(list as CelList);

function containsAll(list: CelValue | undefined, part: CelValue | undefined): boolean {
  return items(part).every((item) => contains(item, list as CelValue));
}

function intersects(a: CelValue | undefined, b: CelValue | undefined): boolean {
  return items(a).some((item) => {
    try {
      return contains(item, b as CelValue);
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  });
}

export const setsLibrary: CelLibrary = {
  functions: [
    declare("sets.contains", overload("list_sets_contains_list", [listOfT, listOfT], bool, containsAll)),
    declare(
      "sets.equivalent",
      overload(
        "list_sets_equivalent_list",
        [listOfT, listOfT],
        bool,
        (a, b) => containsAll(a, b) && containsAll(b, a),
      ),
    ),
    declare("sets.intersects", overload("list_sets_intersects_list", [listOfT, listOfT], bool, intersects)),
  ],
};
