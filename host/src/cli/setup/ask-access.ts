import { doubtOf } from '#config/environment/misfit-of.ts'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import type { PlatformAnswers } from '#gateway/setup/save-platform.ts'
import type { WizardOptions } from './asker.ts'

/** Who may write, and where the agent reports unasked. */
export async function askAccess(options: WizardOptions, form: PlatformForm): Promise<PlatformAnswers> {
  const { cli, asker, current } = options
  const people = form.spec.gate === 'sender' ? await askPeople(options, form) : { values: {} }
  const before = current(form.access.home)
  cli.out('\nWhere does the agent report unasked? An id of a conversation; /sethome in a chat sets it too.')
  const home = await asker.ask(`${form.access.home} [${before ?? 'none'}]: `)
  return { ...people, values: { ...people.values, ...(home === '' ? {} : { [form.access.home]: home }) } }
}

async function askPeople(options: WizardOptions, form: PlatformForm): Promise<PlatformAnswers> {
  const { cli, asker, current } = options
  const { access, spec } = form
  const listed = current(access.allowed)
  const isOpen = current(access.everybody) !== undefined
  const usual = listed !== undefined ? '1' : isOpen ? '3' : '2'
  cli.out('\nWho may write to the agent?')
  cli.out(`  1  people whom you list${listed === undefined ? '' : ` (now ${listed})`}`)
  cli.out('  2  people whom you approve, in direct messages: a stranger gets a code, and agent pairing approve lets them in')
  cli.out('  3  everybody, who can then use every tool that the agent has')
  cli.out(`In channels and groups it answers people whom you list: platforms.${form.id}.group_allow_from`)
  for (;;) {
    const answer = (await asker.ask(`Choose [${usual}]: `)) || usual
    if (answer === '1') return { values: { [access.everybody]: undefined, [access.allowed]: await askNames(options, form, listed) } }
    if (answer === '2') return { values: { [access.everybody]: undefined, [access.allowed]: undefined }, ...pairingOn(spec.unknownSenders) }
    if (answer === '3') return { values: { [access.everybody]: 'true' } }
  }
}

async function askNames({ cli, asker }: WizardOptions, { access, person }: PlatformForm, before: string | undefined): Promise<string> {
  const name = access.allowed
  let doubted: string | undefined
  for (;;) {
    const answer = await asker.ask(`Their ids, with commas between them; ${name}${before === undefined ? '' : ` [${before}]`}: `)
    const doubt = answer === '' || answer === doubted ? undefined : doubtOf(person, answer)
    doubted = answer
    const names = answer === '' ? before : answer
    if (doubt !== undefined) cli.note(`${name} ${doubt}. Correct it, or give the same again to keep it.`)
    else if (names !== undefined) return names
  }
}

/** Where an answer costs money or bothers people, nobody gets a code unless somebody says so. */
function pairingOn(unknownSenders: 'pair' | 'ignore'): Pick<PlatformAnswers, 'settings'> {
  return unknownSenders === 'ignore' ? { settings: { unauthorized_dm_behavior: 'pair' } } : {}
}
