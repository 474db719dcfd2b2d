import { fail } from '@agent/plugin-sdk/errors'

/** The closed list of reasons why a package is not installed. Each completes "<package> was not installed: …". */
export const refusals = {
  'tarball-damaged': (p: { problem: string }) => `its tarball cannot be read: ${p.problem}`,
  'integrity-mismatch': (p: { found: string; wanted: string }) => `its tarball is ${p.found}, but the lock says ${p.wanted}`,
  'files-mismatch': () => 'its files are not those that the lock describes',
  'path-outside': (p: { path: string }) => `its tarball writes outside of its folder: ${p.path}`,
  'link-inside': (p: { path: string; target: string }) => `it contains a link: ${p.path} leads to ${p.target}`,
  'special-file': (p: { path: string }) => `${p.path} is neither a file nor a folder`,
  'path-twice': (p: { path: string }) => `${p.path} is in it twice, or in two spellings that some disks do not tell apart`,
  'too-many-files': (p: { limit: number }) => `it has more than ${p.limit} files`,
  'too-large': (p: { limit: number }) => `it is larger than ${p.limit} MiB when unpacked`,
  'package-invalid': (p: { problem: string }) => `its package.json ${p.problem}`,
  'install-script': (p: { name: string; package: string }) => `${p.package} wants to run a script when it is installed (${p.name})`,
  'dependency-source': (p: { name: string; source: string }) => `it depends on ${p.name} from ${p.source}, which is no registry`,
  'native-addon': (p: { path: string }) => `it brings machine code, which installed plugins cannot load: ${p.path}`,
  'manifest-invalid': (p: { problem: string }) => `its agent.plugin.json is wrong: ${p.problem}`,
  'entry-missing': (p: { entry: string }) => `its manifest names ${p.entry}, which is not in the package`,
  'id-bundled': (p: { id: string }) => `${p.id} is the id of a plugin that came with agent; only a development link may stand in for it`,
  'id-taken': (p: { id: string; owner: string }) => `${p.id} is installed already, from ${p.owner}`,
  'id-changed': (p: { id: string; wanted: string }) => `it is the plugin ${p.id}, not ${p.wanted}`,
  'shape-mismatch': (p: { problem: string }) => `it does not provide what its manifest declares: ${p.problem}`,
  'probe-failed': (p: { problem: string }) => `its code could not be tried: ${p.problem}`,
  'no-previous': () => 'no version before this one is kept',
  blocked: (p: { catalog: string; reason: string }) => `the catalog ${p.catalog} blocks it: ${p.reason}`,
  withdrawn: (p: { catalog: string; version: string; reason: string }) =>
    `the catalog ${p.catalog} has withdrawn version ${p.version}: ${p.reason}`,
  'not-pinned': (p: { catalog: string; range: string; version: string }) =>
    `the catalog ${p.catalog} allows ${p.range} of it, and this is ${p.version}`,
  'lock-stale': (p: { problem: string }) => `the lock cannot be reproduced: ${p.problem}`,
} as const satisfies Record<string, (params: never) => string>

export type PackageRefusal = keyof typeof refusals
type ParamsOf<Code extends PackageRefusal> = (typeof refusals)[Code] extends () => string ? unknown : Parameters<(typeof refusals)[Code]>[0]

/** The error of a refusal: `throw refuse('dice', 'too-many-files', { limit: 5000 })`. */
export function refuse<Code extends PackageRefusal>(name: string, code: Code, params: ParamsOf<Code>, options?: ErrorOptions): Error {
  const sentence = refusals[code] as (params: unknown) => string
  return fail('PLUGIN_REFUSED', { package: name, reason: code, problem: sentence(params) }, options)
}
