import { expect, test } from 'vitest'
import { createTemporaryStore, type TemporaryStore } from '#store/testing/temporary-store.ts'
import { createJobDesk, type JobDesk } from './job-desk.ts'
import { postIdOf } from './run-post.ts'

const hour = 3_600_000
const mine = { owner: 'owner' }

async function withDesk(run: (desk: JobDesk, place: TemporaryStore, store: Awaited<ReturnType<TemporaryStore['open']>>) => Promise<void>) {
  await using place = await createTemporaryStore()
  place.clock.time = Date.parse('2026-03-01T10:00:00Z')
  const store = await place.open()
  const desk = createJobDesk({
    ...{ jobs: store.jobs, now: place.clock.now, zone: () => 'Europe/Berlin', catchesUp: () => true, posted: store.journal.posted },
    knows: (kind, name) => `${kind} ${name}` === 'platform irc' || name === 'known',
  })
  await run(desk, place, store)
}

test('a job is made with what is usual, and found by id, its beginning or name', async () => {
  await withDesk(async (desk) => {
    const { job } = await desk.create({ prompt: 'What is new?\nSay it.', schedule: 'daily at 9' }, mine)
    expect(job).toMatchObject({ name: 'What is new?', schedule: '0 9 * * *', zone: 'Europe/Berlin', missed: 'run', deliver: 'local' })
    expect(new Date(job.nextAt ?? 0).toISOString()).toBe('2026-03-02T08:00:00.000Z')
    for (const reference of [job.id, job.id.slice(0, 12), 'what is NEW?']) expect((await desk.find(reference, {})).id).toBe(job.id)
    await expect(desk.find('other', {})).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
    await desk.create({ prompt: 'What is new?', schedule: 'daily at 10' }, mine)
    await expect(desk.find('What is new?', {})).rejects.toMatchObject({ code: 'JOB_AMBIGUOUS' })
    expect((await desk.create({ prompt: 'What is new?', schedule: 'daily 10:00' }, mine)).isNew).toBe(false)
  })
})

test('a job that comes once is told when it was missed, and one made in a conversation answers there', async () => {
  await withDesk(async (desk) => {
    const { job } = await desk.create({ prompt: 'x', schedule: 'in 2h' }, { ...mine, door: 'irc', origin: 'agent:main:irc' })
    expect(job).toMatchObject({ missed: 'tell', deliver: 'origin', origin: 'agent:main:irc', door: 'irc' })
    expect(job.nextAt).toBe(Date.parse('2026-03-01T12:00:00Z'))
  })
})

test.for([
  [{ prompt: '', schedule: 'daily 9:00' }, 'prompt is missing'],
  [{ prompt: 'x' }, 'schedule is missing'],
  [{ prompt: 'x', schedule: 'daily 9:00', skills: ['unknown'] }, 'names "unknown"'],
  [{ prompt: 'x', schedule: 'daily 9:00', toolsets: ['unknown'] }, 'names "unknown"'],
  [{ prompt: 'x', schedule: 'daily 9:00', deliver: 'irc,fax' }, 'names "fax"'],
  [{ prompt: 'x', schedule: 'daily 9:00', repeat: 0 }, 'from 1'],
  [{ prompt: 'x', schedule: 'daily 9:00', timeoutSeconds: 1.5 }, 'from 1'],
  [{ prompt: 'x', schedule: 'daily 9:00', zone: 'Mars/Base' }, 'Mars/Base'],
] as const)('%o is refused: %s', async ([wish, problem]) => {
  await withDesk(async (desk) => {
    await expect(desk.create(wish, mine)).rejects.toThrow(problem)
    expect(await desk.list({})).toEqual([])
  })
})

test('who is not the owner lets nothing be sent elsewhere, also by a change', async () => {
  await withDesk(async (desk) => {
    const stranger = { owner: 'irc:ann', origin: 'agent:main:irc', isStranger: true }
    await expect(desk.create({ prompt: 'x', schedule: 'daily 9:00', deliver: 'irc:#all' }, stranger)).rejects.toThrow('only the owner')
    const { job } = await desk.create({ prompt: 'x', schedule: 'daily 9:00' }, stranger)
    await expect(desk.edit(job.id, { deliver: 'all' }, stranger)).rejects.toThrow('only the owner')
  })
})

test('each owner sees, changes and removes only their own', async () => {
  await withDesk(async (desk) => {
    const { job } = await desk.create({ prompt: 'x', schedule: 'daily 9:00' }, mine)
    const ann = { owner: 'irc:ann' }
    expect([(await desk.list(ann)).length, (await desk.list({})).length]).toEqual([0, 1])
    for (const act of ['pause', 'resume', 'run', 'remove', 'find'] as const)
      await expect(desk[act](job.id, ann)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
    await expect(desk.edit(job.id, {}, ann)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
    await desk.run(job.id, mine)
    const other = await desk.create({ prompt: 'y', schedule: 'daily 9:00' }, { owner: 'irc:ben' })
    await desk.run(other.job.id, {})
    expect(await desk.history(1, mine)).toMatchObject([{ job: job.id }])
    await desk.remove(other.job.id, {})
    expect([(await desk.history(9, ann)).length, (await desk.history(9, mine)).length]).toEqual([0, 1])
    await desk.remove(job.id, mine)
    expect(await desk.list({})).toEqual([])
  })
})

test('an edit keeps what it does not name, and moves the due time only with the schedule', async () => {
  await withDesk(async (desk, place) => {
    const { job } = await desk.create({ prompt: 'x', schedule: 'every 2h' }, mine)
    place.clock.time += hour
    expect(await desk.edit(job.id, { prompt: 'y', name: undefined }, {})).toEqual({ ...job, prompt: 'y' })
    expect(await desk.edit(job.id, { schedule: 'every 3h' }, {})).toMatchObject({ nextAt: place.clock.time + 3 * hour, prompt: 'y' })
    const once = await desk.create({ prompt: 'z', schedule: 'in 1h' }, mine)
    place.clock.time += 2 * hour
    expect(await desk.edit(once.job.id, { prompt: 'later' }, {})).toMatchObject({ prompt: 'later', nextAt: once.job.nextAt })
    await expect(desk.edit(once.job.id, { schedule: '2026-03-01T10:30' }, {})).rejects.toThrow('is over')
  })
})

test('a paused job has no due time, and goes on from now when it is resumed', async () => {
  await withDesk(async (desk, place) => {
    const { job } = await desk.create({ prompt: 'x', schedule: 'every 2h', paused: true }, mine)
    expect(job).toMatchObject({ state: 'paused', nextAt: null })
    place.clock.time += 5 * hour
    expect(await desk.resume(job.id, {})).toMatchObject({ state: 'scheduled', nextAt: place.clock.time + hour })
    const once = (await desk.create({ prompt: 'x', schedule: 'in 1h', paused: true }, mine)).job
    place.clock.time += 5 * hour
    await expect(desk.resume(once.id, {})).rejects.toThrow('is over')
  })
})

test('the history says what the platforms made of an answer, and writes nothing', async () => {
  await withDesk(async (desk, _place, { jobs, journal }) => {
    const { job } = await desk.create({ prompt: 'x', schedule: 'every 2h' }, mine)
    const claim = await jobs.claim(job.id, { dueAt: job.nextAt ?? 0, nextAt: null, collapsed: 0 }, 'boot')
    if (!claim) return expect.unreachable()
    await jobs.conclude(claim, { state: 'ok', output: 'y', session: null, error: null, delivery: 'pending' }, 50)
    const room = { platform: 'irc', account: 'bot', conversation: '#a' }
    for (const target of [0, 1]) await journal.post(room, [{ text: 'y' }], postIdOf(claim.run.seq, target))
    await jobs.delivered(claim.run.seq, 'queued')
    const look = async () => (await desk.history(9, { job: job.id })).map(({ delivery, deliveryError }) => [delivery, deliveryError])
    expect(await look()).toEqual([['queued', null]])
    const first = await journal.claimSend('boot')
    if (first) await journal.settleSend(first, { status: 'sent', platformId: '1' })
    expect(await look()).toEqual([['queued', null]])
    const second = await journal.claimSend('boot')
    const error = { code: 'SEND_REFUSED', params: { platform: 'irc', detail: 'no' } } as const
    if (second) await journal.settleSend(second, { status: 'refused', error })
    expect(await look()).toEqual([['failed', error]])
    expect((await jobs.history(9))[0]?.delivery).toBe('queued')
  })
})

test('who is not the owner has twenty jobs at most, and all together have five hundred', async () => {
  await withDesk(async (desk, _place, { jobs }) => {
    const ann = { owner: 'irc:ann', isStranger: true }
    const wish = (name: string) => ({ name, prompt: 'x', schedule: 'in 1h' })
    for (let count = 0; count < 20; count++) await desk.create(wish(`${count}`), ann)
    await expect(desk.create(wish('more'), ann)).rejects.toThrow('the 20 that there may be')
    expect((await desk.create(wish('7'), ann)).isNew).toBe(false)
    const { job } = await desk.create(wish('mine'), mine)
    await Promise.all(Array.from({ length: 479 }, (_, count) => jobs.add({ ...job, name: `mine ${count}` }, job.nextAt)))
    await expect(desk.create(wish('more'), mine)).rejects.toThrow('the 500 that there may be')
    await expect(desk.create(wish('more'), { owner: 'irc:ben', isStranger: true })).rejects.toThrow('the 500 that there may be')
    await desk.remove('7', ann)
    expect((await desk.create(wish('more'), ann)).isNew).toBe(true)
  })
})

test('who changes a job is written down after those who made it, and so is the door', async () => {
  await withDesk(async (desk) => {
    const by = (id: string) =>
      ({ platform: 'irc', account: 'bot', conversation: { id, kind: 'dm' }, sender: { id, isBot: false } }) as const
    const { job } = await desk.create(
      { prompt: 'x', schedule: 'daily 9:00', toolsets: ['known'] },
      { ...mine, door: 'irc', people: [by('ann')] },
    )
    await desk.edit(job.id, { prompt: 'y' }, { ...mine, door: 'talk', people: [by('ben')] })
    const again = await desk.edit(job.id, { prompt: 'z' }, { ...mine, door: 'irc', people: [by('ann')], toolsets: ['other'] })
    expect(again).toMatchObject({ door: 'irc', doors: ['talk'], people: [by('ben'), by('ann')], toolsets: [] })
    expect(await desk.edit(job.id, { prompt: 'by the owner' }, {})).toMatchObject({ doors: ['talk'], people: [by('ben'), by('ann')] })
  })
})

test('who makes a job that is there already is bound by those who made it, and binds it', async () => {
  await withDesk(async (desk) => {
    const by = (id: string) =>
      ({ platform: 'irc', account: 'bot', conversation: { id, kind: 'dm' }, sender: { id, isBot: false } }) as const
    const wish = { name: 'tea', prompt: 'x', schedule: 'daily 9:00' }
    await desk.create({ ...wish, toolsets: [] }, { ...mine, door: 'irc', people: [by('ann')] })
    const { job, isNew } = await desk.create(wish, { ...mine, door: 'talk', people: [by('ben')], toolsets: ['known'] })
    expect([isNew, job]).toMatchObject([false, { door: 'irc', doors: ['talk'], people: [by('ann'), by('ben')], toolsets: [] }])
    expect((await desk.create(wish, mine)).job).toMatchObject({ door: 'irc', doors: ['talk'], people: [by('ann'), by('ben')] })
  })
})

test('a job that is done and gets another schedule needs room like a new one', async () => {
  await withDesk(async (desk, _place, { jobs }) => {
    const ann = { owner: 'irc:ann', isStranger: true }
    const { job } = await desk.create({ name: 'done', prompt: 'x', schedule: 'in 1h' }, ann)
    await jobs.change(job.id, (found) => ({ ...found, state: 'done', nextAt: null }))
    for (let count = 0; count < 20; count++) await desk.create({ name: `${count}`, prompt: 'x', schedule: 'in 1h' }, ann)
    await expect(desk.edit(job.id, { schedule: 'every 2h' }, ann)).rejects.toThrow('the 20 that there may be')
    await desk.remove('7', ann)
    expect(await desk.edit(job.id, { schedule: 'every 2h' }, ann)).toMatchObject({ state: 'scheduled' })
  })
})

test('a script is given and changed at the terminal of the owner only; it needs no prompt, and who may stop it goes on to do so', async () => {
  await withDesk(async (desk) => {
    const script = { name: 'check.sh', text: 'echo hi' }
    const every = { schedule: 'every 1h' }
    const { job } = await desk.create(every, { ...mine, terminal: { script } })
    expect(job).toMatchObject({ name: 'check.sh', prompt: 'Run check.sh.', script })
    const both = { ...every, prompt: 'Say hello.' }
    for (const given of [
      desk.create(both, { ...mine, terminal: { script } }),
      desk.edit(job.id, { prompt: 'Say hello.' }, { terminal: {} }),
    ])
      await expect(given).rejects.toThrow('is read by nobody: the job runs check.sh')
    const refused = expect.stringContaining('only agent cron edit at the terminal')
    await expect(desk.edit(job.id, { deliver: 'irc' }, mine)).rejects.toMatchObject({ message: refused })
    await expect(desk.create({ ...every, name: 'check.sh', prompt: 'x' }, mine)).rejects.toMatchObject({ message: refused })
    expect(await desk.edit(job.id, { deliver: 'irc' }, { terminal: {} })).toMatchObject({ deliver: 'irc', script })
    const wish = { ...every, name: 'forged', prompt: 'x', script }
    expect((await desk.create(wish, mine)).job.script).toBeUndefined()
    await expect(desk.create({ ...every, skills: ['known'] }, { ...mine, terminal: { script } })).rejects.toThrow('without the agent')
    expect(await desk.pause(job.id, mine)).toMatchObject({ state: 'paused', script })
  })
})

test('a job names other jobs for their answers, of the same owner only, and can name none again', async () => {
  await withDesk(async (desk) => {
    const every = { schedule: 'every 1h', prompt: 'x' }
    const { job: news } = await desk.create({ ...every, name: 'news' }, mine)
    await desk.create({ ...every, name: 'theirs' }, { owner: 'irc:ben', isStranger: true })
    const { job } = await desk.create({ ...every, name: 'sum', contextFrom: ['News'] }, mine)
    expect(job.contextFrom).toEqual([news.id])
    await expect(desk.edit('sum', { contextFrom: ['theirs'] }, mine)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
    expect((await desk.edit('sum', { name: 'all' }, mine)).contextFrom).toEqual([news.id])
    expect((await desk.edit('all', { contextFrom: [] }, mine)).contextFrom).toBeUndefined()
    await expect(desk.edit('all', { contextFrom: Array(6).fill('news') }, mine)).rejects.toThrow('more than 5 jobs')
  })
})

test('what comes of all jobs is told in order, of many jobs the next times of each, and an interval keeps its measure', async () => {
  await withDesk(async (_desk, place, store) => {
    // Each look at the clock is a moment later.
    const now = (): number => place.clock.time++
    const desk = createJobDesk({
      ...{ jobs: store.jobs, now, zone: () => 'UTC', catchesUp: () => true, posted: store.journal.posted, knows: () => true },
    })
    const { job } = await desk.create({ name: 'often', prompt: 'x', schedule: 'every 1h' }, mine)
    await desk.create({ name: 'once', prompt: 'x', schedule: 'in 90m' }, mine)
    await desk.create({ name: 'waits', prompt: 'x', schedule: 'every 1h', paused: true }, mine)
    const first = job.nextAt ?? 0
    const found = await desk.coming(first + 2 * hour, {})
    expect(found.map(({ job: { name } }) => name)).toEqual(['often', 'once', 'often', 'often'])
    expect(found.filter((each) => each.job.name === 'often').map(({ at }) => at)).toEqual([first, first + hour, first + 2 * hour])
    await Promise.all(Array.from({ length: 250 }, (_, at) => store.jobs.add({ ...job, name: `job ${at}` }, first)))
    expect(await desk.coming(first + 100 * hour, {})).toHaveLength(600)
    expect(await desk.coming(first + 100 * hour, { owner: 'nobody' })).toEqual([])
  })
})
