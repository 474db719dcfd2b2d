/** `path` names the first value that does not fit, `''` the whole; `problem` completes the sentence "<path> …" in plain words. */
export type SchemaCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: string; readonly problem: string }

export type JsonSchema = { readonly [key: string]: unknown }
