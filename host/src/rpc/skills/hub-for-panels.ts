import { type Panel, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import type { HubCaller, OfferedSkill } from '#skills/hub/skill-hub.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'

type PanelHub = Parameters<Panel['open']>[0]['skillHub']
type Offer = Awaited<ReturnType<PanelHub['inspect']>>[number]

/** A page gives up after a minute; nothing goes on behind its back. */
const longestMs = 55_000

/** Its code is loaded when somebody looks. */
const load = () => import('#skills/hub/skill-hub.ts')

/** Skills of others for a page of the dashboard: what `agent skills` does with them, without its questions. */
export function hubForPanels(context: HomeContext): PanelHub {
  const home = () => openHomeOf(context)
  // A path of a file is read from the home: a page is nowhere.
  const within = <T>(source: string, act: (caller: HubCaller) => Promise<T>): Promise<T> =>
    withTimeLimit({ clock: systemClock, signal: context.signal, ms: longestMs, what: `Fetching ${source.slice(0, 200)}` }, (signal) =>
      act({ environment: context.environment, installRoot: context.installRoot, signal, cwd: home().path }),
    )
  return {
    installed: async () =>
      (await (await load()).listInstalled(home())).map(({ name, source, resolved, installedAt, state, judged }) => ({
        ...{ name, source, resolved, installedAt: Date.parse(installedAt) || 0, state },
        ...{ verdict: judged?.verdict ?? 'broken', findings: judged?.findings ?? [] },
      })),
    inspect: async ({ source, skill }) => {
      const { choose, withOffered } = await load()
      return within(source, (caller) =>
        withOffered(caller, home(), source, async (offered) =>
          (skill === undefined ? offered : choose(source, offered, [skill])).map(describeOffer),
        ),
      )
    },
    check: async ({ skill }) => {
      const { checkSkills } = await load()
      const checked = await within(skill ?? 'all skills', (caller) => checkSkills(caller, home(), skill === undefined ? [] : [skill]))
      return checked.map(({ name, state, problem }) => ({ name, state, ...(problem === null ? {} : { problem }) }))
    },
    install: async ({ source, skill, hash }) => {
      const { installAgreed } = await load()
      return within(source, (caller) => installAgreed(caller, home(), { source, name: skill, hash }))
    },
    remove: async ({ skill, edited }) => {
      const [{ namedIn, removeSkill }, { stateOf }] = await Promise.all([load(), import('#skills/skill-lock.ts')])
      const [, locked] = namedIn(home(), [skill])[0] ?? []
      if (locked && stateOf(home(), skill, locked) === 'edited' && edited !== true)
        throw fail('SKILL_UNCHANGED', { problem: `you have edited ${skill}, and nobody has agreed to lose that` })
      removeSkill(home(), skill)
    },
  }
}

function describeOffer(offer: OfferedSkill): Offer {
  const { name, hash, resolved } = offer
  if ('problem' in offer)
    return { name, hash, resolved, verdict: 'broken', findings: [`It is no skill: ${offer.problem}`], description: '', files: [] }
  const { verdict, findings, files, skill } = offer.judged
  return { name, hash, resolved, verdict, findings, description: skill.description, files }
}
