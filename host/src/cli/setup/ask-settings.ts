import { isSecretKey, maskSecret } from '#config/environment/secret-keys.ts'
import { type NeededSetting, readNeeded } from '#gateway/setup/needed-settings.ts'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import type { WizardOptions } from './asker.ts'

/** Keys of `extra` that the platform needs; one that is there already is kept by typing nothing. */
export async function askSettings(
  options: WizardOptions,
  { settings }: Pick<PlatformForm, 'settings'>,
  before: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const given: Record<string, unknown> = {}
  for (const setting of settings) {
    options.cli.out(`\n${setting.prompt}`)
    const { key } = setting
    const value = await askSetting(options, setting, before[key] ?? options.currentSetting(key))
    if (value !== undefined) given[key] = value
  }
  return given
}

/** Undefined: it stays as it is in config.yaml. */
async function askSetting({ cli, asker }: WizardOptions, setting: NeededSetting, now: unknown): Promise<unknown> {
  const { key } = setting
  const isSecret = isSecretKey(key)
  const question = `${key}${now === undefined ? '' : ` [${isSecret ? maskSecret(String(now)) : String(now)}]`}: `
  for (;;) {
    const answer = await (isSecret ? asker.askSecret(question) : asker.ask(question))
    if (answer === '' && now !== undefined) return undefined
    if (answer === '') {
      cli.note('It cannot do without.')
      continue
    }
    const read = await readNeeded(setting, answer)
    if (read.ok) return read.value
    cli.note(`${key} ${read.problem}.`)
  }
}
