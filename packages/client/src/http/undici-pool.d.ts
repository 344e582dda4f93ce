/**
 * The pool alone. `undici` itself loads fetch, caches and mocks as well, which takes five times as long (118 ms against
 * 24 ms, measured) and is the greater part of the time this package takes to load. The version is pinned.
 */
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export default Pool;
}
