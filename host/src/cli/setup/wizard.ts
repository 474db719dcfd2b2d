import type { EnvManifest } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { doubtOf, misfitOf } from '#config/environment/misfit-of.ts'
import { maskSecret } from '#config/environment/secret-keys.ts'
import { findForm, type PlatformForm } from '#gateway/setup/platform-form.ts'
import type { PlatformAnswers } from '#gateway/setup/save-platform.ts'
import type { Typed } from '#rpc/gateway/test-connection.ts'
import { formatTable } from '../console/cli.ts'
import { askAccess } from './ask-access.ts'
import { askSettings } from './ask-settings.ts'
import type { WizardOptions } from './asker.ts'

/** Lets a person choose one of the platforms. */
export async function choosePlatform(
  { cli, asker }: Pick<WizardOptions, 'cli' | 'asker'>,
  forms: readonly PlatformForm[],
): Promise<PlatformForm> {
  cli.out(formatTable(forms.map((form, index) => [`  ${index + 1}`, form.label, describeState(form)])))
  for (;;) {
    const answer = await asker.ask('Which platform? ')
    const byNumber = /^\d+$/.test(answer) ? forms[Number(answer) - 1] : undefined
    if (byNumber) return byNumber
    try {
      return findForm(forms, answer)
    } catch (error) {
      if (!isAgentError(error)) throw error
      cli.note(error.message)
    }
  }
}

function describeState({ reason }: PlatformForm): string {
  if (!reason) return 'set up'
  return reason.code === 'env-missing' || reason.code === 'not-enabled' ? 'not set up' : reason.text
}

/** Asks for everything, and tries it until it works or is wanted as it is. Nothing is written here. */
export async function askAnswers(options: WizardOptions, form: PlatformForm): Promise<PlatformAnswers> {
  const { cli } = options
  cli.out(`${form.label}${form.docsUrl === undefined ? '' : `: ${form.docsUrl}`}`)
  let values: Readonly<Record<string, string>> = {}
  let extra: Readonly<Record<string, unknown>> = {}
  do {
    extra = { ...extra, ...(await askSettings(options, form, extra)) }
    values = await askFields(options, form, { values, extra })
  } while (!(await isWanted(options, form, { values, extra })))
  const access = await askAccess(options, form)
  return { ...access, extra, values: { ...values, ...access.values } }
}

/** What was typed. The service is asked as soon as it can be: what it refuses is asked again, and kept where it is given again. */
async function askFields(
  options: WizardOptions,
  form: PlatformForm,
  { values: before, extra }: Required<Typed>,
): Promise<Readonly<Record<string, string>>> {
  const required = form.fields.filter((field) => field.required)
  let values = before
  let refused: string | undefined
  for (;;) {
    values = await askEach(options, required, values)
    const now = JSON.stringify(values)
    if (now === refused || !required.some(({ secret }) => secret) || !(await isRefused(options, form, { values, extra }))) break
    refused = now
  }
  return askEach(
    options,
    form.fields.filter((field) => !field.required),
    values,
  )
}

/** Whatever else goes wrong may be for want of what is asked next. */
async function isRefused({ cli, connect }: WizardOptions, { label }: PlatformForm, typed: Typed): Promise<boolean> {
  cli.out(`\nAsking ${label} …`)
  try {
    const { identity } = await connect(typed)
    cli.out(`It knows the agent as ${identity.name}.`)
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    if (error.code === 'PLATFORM_AUTH') cli.note(`${error.message} Correct it, or give the same again to go on with it.`)
    return error.code === 'PLATFORM_AUTH'
  }
  return false
}

/** A value that is there already is kept by typing nothing. */
async function askEach(
  options: WizardOptions,
  fields: readonly EnvManifest[],
  before: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = { ...before }
  for (const field of fields) {
    const { name, prompt, url, required } = field
    options.cli.out(`\n${required ? prompt : markOptional(prompt)}${url === undefined ? '' : `\n  ${url}`}`)
    const answer = await askField(options, field, before[name] ?? options.current(name))
    if (answer !== '') values[name] = answer
  }
  return values
}

/** Beside an example in parentheses there are no second ones. */
function markOptional(prompt: string): string {
  return prompt.endsWith(')') ? `${prompt.slice(0, -1)}; optional)` : `${prompt} (optional)`
}

async function askField({ cli, asker }: WizardOptions, field: EnvManifest, now: string | undefined): Promise<string> {
  const question = `${field.name}${now === undefined ? '' : ` [${showValue(field, now)}]`}: `
  let doubted: string | undefined
  for (;;) {
    const answer = await (field.secret ? asker.askSecret(question) : asker.ask(question))
    const misfit = misfitOf(field.value, answer)
    const doubt = answer === '' || answer === doubted ? undefined : doubtOf(field.form, answer)
    doubted = answer
    if (misfit !== undefined) cli.note(`${field.name} ${misfit}.`)
    else if (doubt !== undefined) cli.note(`${field.name} ${doubt}. Correct it, or give the same again to keep it.`)
    else if (answer !== '' || now !== undefined || !field.required) return answer
    else cli.note('It cannot do without.')
  }
}

/** What else has to be done before the gateway starts a platform. */
export function adviseModel(label: string): string {
  return `${label} reaches other people and does not start on the offline model: choose a provider with agent model.`
}

function showValue({ secret }: EnvManifest, value: string): string {
  return secret ? maskSecret(value) : value
}

async function isWanted({ cli, asker, connect }: WizardOptions, { label }: PlatformForm, typed: Typed): Promise<boolean> {
  cli.out(`\nConnecting ${label} …`)
  try {
    const { identity } = await connect(typed)
    cli.out(`Connected as ${identity.name}.`)
    return true
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    cli.note(error.message)
  }
  for (;;) {
    const answer = (await asker.ask('Correct it, keep it as it is, or leave everything as it was? [correct/keep/leave] ')).toLowerCase()
    if (answer === '' || 'correct'.startsWith(answer)) return false
    if ('keep'.startsWith(answer)) return true
    if ('leave'.startsWith(answer)) throw fail('INTERRUPTED')
  }
}
