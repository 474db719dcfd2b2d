import type { Panel, PanelAnswer, PanelRecord, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

type Hub = Parameters<Panel['open']>[0]['skillHub']
type Installed = Awaited<ReturnType<Hub['installed']>>[number]
type Offer = Awaited<ReturnType<Hub['inspect']>>[number] & { readonly source: string }
type Checked = Awaited<ReturnType<Hub['check']>>[number]
type Methods = Readonly<Record<string, (request: PanelRequest) => Promise<PanelAnswer>>>

/** What a page has said of skills of others, until the panel ends: who agrees agrees to exactly that. */
export function createHubMethods(hub: Hub): Methods {
  const checked = new Map<string, Checked>()
  let looked: readonly Offer[] = []
  const inspect = async (source: string, skill?: string): Promise<readonly Offer[]> =>
    (await hub.inspect(skill === undefined ? { source } : { source, skill })).map((offer) => ({ ...offer, source }))
  const offerOf = (item = ''): Offer => {
    const found = looked.find((offer) => itemOf(offer) === item)
    if (found) return found
    throw fail('USAGE', { problem: `"${item}" is not among what was looked at last.`, try: 'Look, with its source' })
  }
  const installedOf = async (item = ''): Promise<Installed> => {
    const found = (await hub.installed()).find(({ name }) => name === item)
    if (found) return found
    throw fail('SKILL_NOT_INSTALLED', { skill: item })
  }
  const put = async (offer: Offer): Promise<PanelAnswer> => {
    const { name: skill, source, hash } = offer
    const done = await hub.install({ source, skill, hash })
    checked.set(skill, { name: skill, state: 'current' })
    return { said: `${skill} ${words[done]}.` }
  }
  const requireVerdict = (offer: Offer, verdict: Offer['verdict']): Offer => {
    if (offer.verdict === verdict) return offer
    throw fail('SKILL_REFUSED', { skill: offer.name, problem: offer.findings.join('; ') || `the scanner calls it ${offer.verdict}` })
  }
  return {
    installed: async () => ({ rows: (await hub.installed()).map((skill) => showInstalled(skill, checked.get(skill.name))) }),
    installedSkill: async ({ item }) => ({ item: showInstalled(await installedOf(item), checked.get(item ?? '')) }),
    check: async ({ item }) => {
      const { name } = await installedOf(item)
      const [found] = await hub.check({ skill: name })
      if (!found) throw fail('SKILL_NOT_INSTALLED', { skill: name })
      checked.set(name, found)
      return { said: `${name} ${states[found.state]}.${found.problem === undefined ? '' : ` ${found.problem}`}` }
    },
    update: async ({ item }) => {
      const { name, source } = await installedOf(item)
      const [offer] = await inspect(source, name)
      if (offer?.verdict === 'safe') return put(offer)
      looked = offer ? [offer] : []
      return { said: `${name} was not updated: its source has something that wants a look. It stands under "What was looked at".` }
    },
    remove: async ({ item = '' }) => {
      await hub.remove({ skill: item })
      return { said: `${item} is removed.` }
    },
    removeEdited: async ({ item = '' }) => {
      await hub.remove({ skill: item, edited: true })
      return { said: `${item} is removed.` }
    },
    look: async ({ input }) => {
      const source = String(input.source).trim()
      looked = await inspect(source)
      return { said: `${source} has ${looked.length === 1 ? '1 skill' : `${looked.length} skills`}. Nothing was installed.` }
    },
    offered: async () => ({ rows: looked.map(showOffer) }),
    offer: async ({ item }) => ({ item: showOffer(offerOf(item)) }),
    install: async ({ item }) => put(requireVerdict(offerOf(item), 'safe')),
    installAgreed: async ({ item }) => put(requireVerdict(offerOf(item), 'caution')),
  }
}

/** A look at another state of the same source is another item: a button that is pressed late agrees to nothing new. */
const itemOf = ({ name, hash, source }: Offer): string => `${name} ${hash} ${source}`

const words = { installed: 'is installed', updated: 'is updated', same: 'is installed already' } as const
const states = {
  current: 'is what its source has',
  newer: 'is older than what its source has',
  edited: 'was edited by you, so updates leave it alone',
  missing: 'is not there any more',
  gone: 'is not in its source any more',
  unreachable: 'has a source that cannot be reached',
} as const
const verdicts = { safe: 'safe', caution: 'caution', dangerous: 'dangerous', broken: 'no skill' } as const

const shown = { current: 'the same', newer: 'an older one', gone: 'not in its source', unreachable: 'not to be compared' } as const

function showInstalled(
  { name, source, resolved, installedAt, state, verdict, findings }: Installed,
  checked: Checked | undefined,
): PanelRecord {
  const compared = checked && checked.state !== 'edited' && checked.state !== 'missing' ? shown[checked.state] : 'not compared yet'
  return {
    ...{ name, source, version: resolved, installedAt, verdict: verdicts[verdict], findings: findings.join('; ') },
    state: state === 'unchanged' ? compared : state,
    canUpdate: state === 'missing' || (state === 'unchanged' && checked?.state === 'newer'),
    ...{ isEdited: state === 'edited', isPlain: state !== 'edited' },
  }
}

const advice = {
  safe: 'Read it before you install it: the scanner finds what is clumsy and no more.',
  caution: 'Read what the scanner found, and the files. Install it only where you trust who wrote it.',
  dangerous: 'Nothing: it is not installed, whatever anybody says.',
  broken: 'Nothing: the agent could not read it.',
} as const

function showOffer(offer: Offer): PanelRecord {
  const { name, source, resolved, verdict, findings, description, files } = offer
  return {
    ...{ item: itemOf(offer), name, source, version: resolved, about: description, files: files.join(' ') },
    ...{ verdict: verdicts[verdict], findings: findings.join('; '), advice: advice[verdict] },
    ...{ isSafe: verdict === 'safe', isCaution: verdict === 'caution' },
  }
}
