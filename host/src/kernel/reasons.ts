interface Entry {
  /** Completes "<plugin> is off because …". */
  readonly text: (params: never) => string
  /** What a person does about it: a sentence around one command, or around the file to correct. */
  readonly fix: (params: never) => string
}

/** The closed list of reasons why a plugin, or one part of it, does not run. Codes are never renamed. */
export const reasons = {
  disabled: {
    text: (p: { key: string }) => `${p.key} is false`,
    fix: (p: { key: string; plugin: string }) =>
      p.key.startsWith('plugins.') ? `agent plugins enable ${p.plugin}` : `agent config set ${p.key} true`,
  },
  denied: {
    text: () => 'plugins.deny lists it',
    fix: (p: { rest: string }) => `agent config set plugins.deny '${p.rest}'`,
  },
  'not-enabled': {
    text: () => 'it is not switched on',
    fix: (p: { plugin: string }) => `agent plugins enable ${p.plugin}`,
  },
  'safe-mode': {
    text: () => 'safe mode runs the plugins that came with agent and no others',
    fix: () => 'Run the command again without --safe-mode.',
  },
  'manifest-invalid': {
    text: (p: { path: string; problem: string }) => `its manifest is wrong: ${[p.path, p.problem].filter(Boolean).join(' ')}`,
    fix: (p: { path: string; file: string; root: string }) =>
      `Correct ${p.path || 'the text'} in ${p.file}, or set it aside: mv '${p.root}' '${p.root}.off'`,
  },
  'path-outside': {
    text: (p: { path: string }) => `${p.path} lies outside of its folder`,
    fix: (p: { path: string; root: string }) => `Replace the link ${p.path} by a file inside ${p.root}.`,
  },
  'config-invalid': {
    text: (p: { key: string; problem: string }) => `${p.key} ${p.problem}`,
    fix: (p: { key: string; missing: boolean }) => (p.missing ? `agent config set ${p.key} VALUE` : `agent config unset ${p.key}`),
  },
  'env-missing': {
    text: (p: { names: string }) => `${p.names} ${p.names.includes(',') ? 'are' : 'is'} not set`,
    fix: (p: { names: string; file: string }) =>
      `Put ${p.names
        .split(', ')
        .map((name) => `${name}=…`)
        .join(' and ')} into ${p.file}.`,
  },
  'engine-mismatch': {
    text: (p: { engine: string; wants: string; has: string }) => `it needs ${p.engine} ${p.wants}; this is ${p.has}`,
    fix: (p: { engine: string; wants: string; plugin: string }) =>
      `Install ${p.engine} ${p.wants}, or give up the plugin: agent plugins disable ${p.plugin}`,
  },
  'api-mismatch': {
    text: (p: { contract: string; wants: string; has: string }) =>
      `it was written for version ${p.wants} of the ${p.contract} contract; this host serves ${p.has}`,
    fix: (p: { file: string; contract: string }) => `Use a version of the plugin whose api.${p.contract} in ${p.file} is served here.`,
  },
  'dependency-missing': {
    text: (p: { needs: string; why: string }) => `it requires ${p.needs}, which ${p.why}`,
    fix: (p: { needs: string }) => `agent plugins why ${p.needs}`,
  },
  'dependency-cycle': {
    text: (p: { cycle: string }) => `the plugins require each other in a circle: ${p.cycle}`,
    fix: (p: { plugin: string }) => `agent plugins disable ${p.plugin}`,
  },
  conflict: {
    text: (p: { other: string }) => `it cannot run beside ${p.other}`,
    fix: (p: { other: string }) => `agent plugins disable ${p.other}`,
  },
  'duplicate-owner': {
    text: (p: { what: string; other: string }) => `${p.other} has ${p.what} too`,
    fix: (p: { other: string }) => `agent plugins disable ${p.other}`,
  },
  'command-taken': {
    text: (p: { command: string; other: string }) => `/${p.command} is a command of ${p.other} already`,
    fix: (p: { other: string }) =>
      p.other === 'agent' ? 'Use a version of the plugin that gives its command another name.' : `agent plugins disable ${p.other}`,
  },
  'duplicate-id': {
    text: (p: { plugin: string; other: string }) => `${p.other} is a plugin named ${p.plugin} already`,
    fix: (p: { root: string }) => `mv '${p.root}' '${p.root}.off'`,
  },
  shadowed: {
    text: (p: { by: string }) => `the development link ${p.by} stands in for it`,
    fix: (p: { by: string }) => `agent plugins disable ${p.by}`,
  },
  'skill-taken': {
    text: (p: { by: string; isPlugin: boolean }) =>
      p.isPlugin
        ? `${p.by} has a skill of that name, and comes first`
        : `${p.by} is a skill of that name, and what is in the home comes first`,
    fix: (p: { by: string; isPlugin: boolean }) =>
      p.isPlugin ? `agent plugins disable ${p.by}` : `Give the skill in ${p.by} another name.`,
  },
  'sandbox-missing': {
    text: () => 'it is to run in a sandbox, and there is no bwrap on this machine',
    fix: (p: { plugin: string }) => `Install bubblewrap, or do without: agent config set plugins.entries.${p.plugin}.sandbox off`,
  },
  quarantined: {
    text: (p: { faults: number; detail: string }) =>
      `it ended its process ${p.faults} times within ten minutes, at last because ${p.detail}`,
    fix: (p: { plugin: string }) => `agent plugins enable ${p.plugin}`,
  },
  blocked: {
    text: (p: { catalog: string; reason: string }) => `the catalog ${p.catalog} blocks it: ${p.reason}`,
    fix: (p: { plugin: string }) => `agent plugins remove ${p.plugin}`,
  },
  withdrawn: {
    text: (p: { catalog: string; version: string; reason: string }) =>
      `the catalog ${p.catalog} has withdrawn version ${p.version}: ${p.reason}`,
    fix: (p: { plugin: string }) => `agent plugins update ${p.plugin}`,
  },
  'integrity-modified': {
    text: (p: { file: string }) => `${p.file} is not the file that was installed`,
    fix: () => 'agent plugins install --frozen',
  },
  'store-missing': {
    text: (p: { folder: string }) => `${p.folder} is not there any more`,
    fix: () => 'agent plugins install --frozen',
  },
  'lock-mismatch': {
    text: (p: { problem: string }) => `plugins.lock.json was changed by hand: ${p.problem}`,
    fix: (p: { plugin: string }) =>
      `Restore plugins.lock.json, or remove the plugin and install it again: agent plugins remove ${p.plugin}`,
  },
  'lock-damaged': {
    text: (p: { file: string; problem: string }) => `${p.file} cannot be read: ${p.problem}`,
    fix: (p: { file: string }) => `Restore the file, or set it aside and install again: mv '${p.file}' '${p.file}.off'`,
  },
  'unsupported-kind': {
    text: (p: { kind: string }) => `this version knows no ${p.kind}`,
    fix: () => 'Update agent to a version that does.',
  },
  'activate-timeout': {
    text: (p: { ms: number }) => `its code was not loaded within ${p.ms} ms`,
    fix: (p: { plugin: string }) => `agent plugins disable ${p.plugin}`,
  },
  'activate-error': {
    text: (p: { detail: string }) => `its code failed: ${p.detail}`,
    fix: () => 'agent logs errors',
  },
  unresponsive: {
    text: () => 'its process does not answer',
    fix: (p: { plugin: string }) => `It is ended and started again when it stays like that: agent plugins logs ${p.plugin}`,
  },
  'entry-shape': {
    text: (p: { entry: string; problem: string }) => `${p.entry} ${p.problem}`,
    fix: () => 'Build the plugin again: agent plugins build',
  },
} as const satisfies Record<string, Entry>

export type ReasonCode = keyof typeof reasons
/** A sentence that needs no parameters asks for none. */
type ParamOf<Write> = Write extends () => string ? unknown : Write extends (params: infer Params) => string ? Params : never
type ParamsOf<Code extends ReasonCode> = ParamOf<(typeof reasons)[Code]['text']> & ParamOf<(typeof reasons)[Code]['fix']>

/** Why something does not run, in words, and what to do about it. */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
  readonly fix: string
}

/** Makes the reason of a code: `because('not-enabled', { plugin })`. */
export function because<Code extends ReasonCode>(code: Code, params: ParamsOf<Code>): Reason {
  const { text, fix } = reasons[code] as { text: (params: unknown) => string; fix: (params: unknown) => string }
  return { code, text: text(params), fix: fix(params) }
}
