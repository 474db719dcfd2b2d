// @module-tag server
import { afterEach, beforeEach, expect, test } from 'vitest'
import { specOf } from '#store/testing/jobs-contract.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { addPlatform, openReloadGateway, type ReloadGateway, writeSwitches } from '../../../../test/support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

const soon = { timeout: 10_000 }

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
  writeSwitches(home, ['platform-calm'])
})
afterEach(() => home[Symbol.dispose]())

async function withGateway(run: (say: (text: string) => Promise<string>, opened: ReloadGateway) => Promise<void>): Promise<void> {
  await using opened = await openReloadGateway(home)
  await run((text) => opened.service('calm').talk(text), opened)
}

proves('purpose.cron', 'a job is run when it is due, and its answer goes to a platform', async () => {
  await withGateway(async (_say, { agent, service }) => {
    await agent.store.jobs.add(specOf({ prompt: 'Say hello.', deliver: 'calm:ann' }), Date.now())
    await expect.poll(() => service('calm').said, soon).toEqual([expect.stringContaining('brief')])
    expect(await agent.store.jobs.history(9)).toMatchObject([{ state: 'ok', cause: 'due' }])
    const [run] = await agent.store.jobs.history(1)
    expect(await agent.store.sessions.find(run?.session ?? '')).toMatchObject({ source: 'cron', owner: 'owner' })
  })
})

proves(
  ['slash.blueprint', 'slash.blueprint.list', 'blueprint.catalog', 'version.rename.blueprints'],
  '/blueprint, or /bp, alone lists the five of the catalog',
  async () => {
    await withGateway(async (say) => {
      const listed = await say('/blueprint')
      for (const key of ['morning-brief', 'important-mail', 'weekly-review', 'workday-start', 'custom-reminder'])
        expect(listed).toContain(key)
      expect(await say('/bp')).toBe(listed)
      expect(await say('/recipe')).toContain('There is no command /recipe')
    })
  },
)

proves(
  ['slash.blueprint.match', 'error.blueprint-ambiguous'],
  'a name is found exactly, by its beginning, by a part or roughly; several that fit are listed',
  async () => {
    await withGateway(async (say) => {
      for (const [name, title] of [
        ['morning-brief', 'Morning brief'],
        ['important', 'Important mail'],
        ['review', 'Weekly review'],
        ['wrkday-start', 'Start of the workday'],
      ])
        expect(await say(`/bp ${name} deliver=local`)).toContain(title)
      const several = await say('/bp w deliver=local')
      expect(several).toContain('weekly-review, workday-start')
    })
  },
)

proves(
  ['slash.blueprint.fill', 'blueprint.fill', 'blueprint.cron-text.translated', 'error.blueprint-slot', 'purpose.blueprints'],
  'with slots the job is made at once, the way every job is, and what is missing or wrong is named',
  async () => {
    await withGateway(async (say, { agent, service }) => {
      const wrong = await say('/blueprint custom-reminder time=noon')
      expect(wrong).toContain('what is missing')
      expect(wrong).toContain('time takes a time of day')
      expect(await agent.store.jobs.list()).toEqual([])
      expect(await say('/blueprint reminder what="drink water" time=15:00 recurrence=weekdays')).toContain('0 15 * * 1-5')
      const [job] = await agent.store.jobs.list()
      expect(job).toMatchObject({
        schedule: '0 15 * * 1-5',
        deliver: 'origin',
        door: 'calm',
        people: [{ platform: 'calm', account: 'bot', sender: { id: 'ann' } }],
        prompt: expect.stringContaining('drink water'),
      })
      expect(await say('/cron list')).toContain(job?.id)
      expect(await say('/cron run Reminder: drink water')).toContain('is run once')
      await expect.poll(() => service('calm').said.at(-1), soon).toMatch(/^Reminder: drink water\n\n/)
    })
  },
)

const water = {
  title: 'Water the plants',
  schedule_template: '{schedule}',
  prompt_template: 'Remind me to water the {what}.',
  slots: [
    { name: 'schedule', type: 'text', default: 'daily at 9:00' },
    { name: 'what', type: 'text', label: 'Which plants', default: '' },
  ],
}

function writeSkill(name: string, blueprint: object): void {
  const metadata = JSON.stringify({ garden: { blueprint } })
  home.write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\nmetadata: ${metadata}\n---\nLook at the soil.\n`)
}

proves(
  ['skill.frontmatter.blueprint', 'blueprint.templates', 'blueprint.cron-text.schedule-slot'],
  'a skill brings a blueprint, whose templates make schedule and prompt of the slots; a text slot called schedule takes any schedule',
  async () => {
    writeSkill('plants', water)
    writeSkill('spoilt', { ...water, prompt_template: 'Water the {flower}.' })
    writeSkill('morning', { ...water, key: 'morning-brief' })
    await withGateway(async (say, { agent }) => {
      const listed = await say('/blueprint')
      expect(listed).toContain('- plants: Water the plants. About plants. (schedule=daily at 9:00, what=…)')
      expect(listed).not.toMatch(/spoilt|About morning/)
      expect(await say('/bp plants schedule=soon what=roses')).toContain('"soon" is no schedule')
      for (const schedule of ['every 45m', '0 6 * * mon-fri']) await say(`/bp plants schedule="${schedule}" what=roses`)
      await say('/bp plants what=roses')
      const jobs = await agent.store.jobs.list()
      expect(jobs.map(({ schedule }) => schedule).sort()).toEqual(['0 6 * * mon-fri', '0 9 * * *', 'every 45m'])
      expect(jobs[0]).toMatchObject({ prompt: 'Remind me to water the roses.', skills: ['plants'], name: 'Water the plants: roses' })
    })
  },
)

proves('slash.blueprint.seed', 'a blueprint by name begins a turn of the agent, which hears of its slots and of the tool', async () => {
  await withGateway(async (say, { agent }) => {
    const heard: string[] = []
    agent.hooks.tap('turn.before', { owner: 'ear' }, async ({ instructions }) => {
      heard.push(instructions ?? '')
      return undefined
    })
    await say('/blueprint custom-reminder')
    const [session] = await agent.store.sessions.list({ limit: 1 })
    const [message] = await agent.store.sessions.history(session?.id ?? '')
    expect(JSON.stringify(message)).toContain('Make a job from the blueprint custom-reminder.')
    expect(heard.join()).toMatch(/cronjob[\s\S]*what: What to remind of/)
    expect(await agent.store.jobs.list()).toEqual([])
  })
})

test('who may use /blueprint and not /cron sees the catalog and gets no job', async () => {
  const settings = { allow_from: ['ann'], allow_admin_from: ['root'], user_allowed_commands: ['blueprint'] }
  home.write('config.yaml', JSON.stringify({ plugins: { entries: { 'platform-calm': { enabled: true } } }, platforms: { calm: settings } }))
  await withGateway(async (say, { agent }) => {
    expect(await say('/blueprint')).toContain('morning-brief')
    for (const words of ['morning-brief', 'morning-brief time=7:30']) expect(await say(`/bp ${words}`)).toContain('may not use /cron here')
    expect(await agent.store.jobs.list()).toEqual([])
  })
})

test('a job of a person who is no longer let in is paused, and the reason is kept', async () => {
  await withGateway(async (_say, { agent, service }) => {
    const gone = { platform: 'calm', account: 'bot', conversation: { id: 'ben', kind: 'dm' }, sender: { id: 'ben', isBot: false } } as const
    const { job } = await agent.store.jobs.add(specOf({ prompt: 'Say hello.', deliver: 'calm:ann', people: [gone] }), Date.now())
    await expect.poll(async () => (await agent.store.jobs.find(job.id))?.pausedWhy, soon).toContain('ben on calm')
    expect([service('calm').said, await agent.store.jobs.history(9)]).toEqual([[], []])
  })
})
