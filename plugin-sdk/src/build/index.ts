// Used by bin/ and by the repository's own scripts; not an entry point of the package.
export type { BuildOptions, BuildResult } from './build-plugin.ts'
export { buildPlugin } from './build-plugin.ts'
export { writeManifestSchema } from './manifest-schema.ts'
export { runCli } from './run-cli.ts'
export type { BuiltEntry } from './to-manifest.ts'
