import { text } from 'node:stream/consumers'
import { fail } from '@agent/plugin-sdk/errors'
import { openEnvironment } from '#config/environment/environment.ts'
import { isSecretKey } from '#config/environment/secret-keys.ts'
import { type NeededSetting, readNeeded } from '#gateway/setup/needed-settings.ts'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Typed } from '#rpc/gateway/test-connection.ts'
import type { Cli } from '../console/cli.ts'

/**
 * What `--set` names, variables and keys of `extra` (`extra.server`): `NAME=value`, `NAME` for the value in the environment of this process, `NAME=-` for the one that
 * is piped in. A secret on the command line is refused, because every process of the machine can read it there.
 */
export async function readSettings(
  cli: Pick<Cli, 'environment' | 'input'>,
  form: PlatformForm,
  written: readonly string[],
): Promise<Required<Typed>> {
  const settings = written.map((each) => parseSetting(form, each))
  if (settings.filter(({ given }) => given === '-').length > 1) {
    throw fail('USAGE', { problem: 'Only one value can be piped in.', try: '--set NAME, with the others in the environment' })
  }
  const environment = openEnvironment(cli.environment)
  const values: Record<string, string> = {}
  const extra: Record<string, unknown> = {}
  for (const { name, given } of settings) {
    const value = given === '-' ? (await text(cli.input)).trim() : (given ?? environment.reference(name))
    const needed = form.settings.find(({ key }) => name === `extra.${key}`)
    if (!value) throw withoutValue(form, name, needed)
    if (needed) extra[needed.key] = await fitNeeded(form, needed, value)
    else values[name] = value
  }
  return { values, extra }
}

/** A key of `extra` is no name of a variable. */
function withoutValue({ id }: PlatformForm, name: string, needed: NeededSetting | undefined): Error {
  const command = `agent gateway setup ${id} --set ${name}`
  const key = isSecretKey(name) ? `${command}=- with the value piped in` : `${command}=…`
  return fail('USAGE', { problem: `There is no value for ${name}.`, try: needed ? key : `${name}=… ${command}` })
}

async function fitNeeded({ id }: PlatformForm, needed: NeededSetting, typed: string): Promise<unknown> {
  const read = await readNeeded(needed, typed)
  if (read.ok) return read.value
  throw fail('USAGE', { problem: `extra.${needed.key} ${read.problem}.`, try: `agent gateway setup ${id} --set extra.${needed.key}=…` })
}

interface Setting {
  readonly name: string
  /** Undefined: from the environment. */
  readonly given: string | undefined
}

function parseSetting({ id, fields, settings, access }: PlatformForm, written: string): Setting {
  const at = written.indexOf('=')
  const name = at < 0 ? written : written.slice(0, at)
  const given = at < 0 ? undefined : written.slice(at + 1)
  const keys = settings.map(({ key }) => `extra.${key}`)
  requireKnown(id, name, [...fields.map((field) => field.name), ...keys, ...Object.values(access)])
  const isKey = keys.includes(name)
  const isSecret = isKey ? isSecretKey(name) : fields.some((field) => field.name === name && field.secret)
  if (given !== undefined && given !== '-' && isSecret) {
    const problem = `${name} is a secret, and a command line can be read by every program of this machine.`
    throw fail('USAGE', {
      problem,
      try: `${isKey ? '' : `--set ${name} with ${name} in the environment, or `}--set ${name}=- with the value piped in`,
    })
  }
  return { name, given }
}

function requireKnown(id: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const nearest = nearestName(name, known)
  const problem = `${id} has no variable "${name}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`
  throw fail('USAGE', { problem, try: `agent gateway setup ${id} --set ${nearest ?? known[0] ?? 'NAME'}=…` })
}
