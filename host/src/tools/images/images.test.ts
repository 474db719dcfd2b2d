import { type Call, type Context, type ImageBackend, type ImageSource, maxImagePiece } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CatalogOptions } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type BookPicture, createImages, type HostImages, limitImages } from './images.ts'

const clock = createFakeClock()
const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 600_000 }
const wish = { prompt: 'a rose', shape: 'square' } as const
const png = (length: number): Uint8Array => Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(length - 4)])

let folder: PluginFolder
let sources: Record<string, unknown>
let opened: string[]
let booked: unknown[]
beforeEach(() => {
  folder = openPluginFolder()
  ;[sources, opened, booked] = [{}, [], []]
})
afterEach(() => folder[Symbol.dispose]())

const book: BookPicture = async ({ provider, model, prompt }) => {
  if (prompt === 'too much') throw fail('BUDGET_SPENT', { budget: '1 token a day', taken: '1', needed: '9' })
  const settle = async (took: unknown): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    booked.push([provider, model, took])
  }
  return { settle }
}

/** A plugin with one backend that paints so many bytes, or does something else. */
function add(id: string, source: number | ImageSource['generate'] | null): void {
  const yields = (length: number): ImageSource['generate'] =>
    async function* () {
      yield png(length)
    }
  sources[id] = source === null ? {} : { generate: typeof source === 'number' ? yields(source) : source }
  const env = [{ name: 'MADE_UP_KEY', secret: true, required: true, prompt: 'a key' }]
  const backend = { id, entry: 'dist/image.js', label: id, env: ['MADE_UP_KEY'] }
  folder.link({ id: `image-${id}`, api: { image: 1 }, env, contributes: { images: [backend] } })
}

async function open(
  wanted: string | (() => string) = '',
  { mayLook = true, config, ...options }: Partial<CatalogOptions> & { mayLook?: boolean; config?: object } = {},
): Promise<HostImages> {
  const catalog = await folder.load({ hasEnvironment: () => true, ...options })
  return createImages({
    ...{ catalog, wanted: typeof wanted === 'string' ? () => wanted : wanted, mayLook: () => mayLook, clock, log: silentLog },
    ...{ describe: async () => 'a rose', book },
    activator: {
      entry: async <T>({ id }: { id: string }) => {
        opened.push(id)
        return { open: async () => sources[id] as ImageSource } satisfies ImageBackend as T
      },
    },
    openContext: async () => ({ context: { signal: new AbortController().signal, config } as Context, close: async () => undefined }),
  })
}

async function paint(images: Pick<HostImages, 'generate'>, own = call): Promise<readonly number[]> {
  const lengths: number[] = []
  for await (const piece of images.generate(wish, own)) lengths.push(piece.length)
  return lengths
}

test('the first backend by name paints, in pieces that cross the border', async () => {
  add('zebra', 10)
  add('ant', maxImagePiece + 3)
  const images = await open()
  expect(images.offers('generate')).toBe(true)
  expect(await paint(images)).toEqual([maxImagePiece, 3])
  expect(opened).toEqual(['ant'])
  expect(await paint(await open('zebra'))).toEqual([10])
})

test('without a backend nothing is offered, and a choice that is not there is told', async () => {
  const none = await open()
  expect(none.offers('generate')).toBe(false)
  await expect(paint(none)).rejects.toMatchObject({ code: 'IMAGE_BACKEND_MISSING' })
  add('zebra', 10)
  const wrong = await open('zebre')
  expect(wrong.offers('generate')).toBe(true)
  await expect(paint(wrong)).rejects.toMatchObject({
    code: 'IMAGE_BACKEND_UNKNOWN',
    message: expect.stringContaining('Did you mean "zebra"?'),
  })
  const locked = await open('zebra', { hasEnvironment: () => false })
  await expect(paint(locked)).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED' })
})

test('looking is offered where a model may see', async () => {
  expect([(await open()).offers('describe'), (await open('', { mayLook: false })).offers('describe')]).toEqual([true, false])
  expect(await (await open()).describe({ image: png(9), question: '?' }, call)).toBe('a rose')
})

test.each<[string, ImageSource['generate'] | null, object]>([
  [
    'no picture',
    async function* () {
      yield Buffer.from('<html>')
    },
    { code: 'PLUGIN_FAILED', message: expect.stringContaining('what came is no picture') },
  ],
  [
    'a picture without end',
    async function* () {
      for (;;) yield png(maxImagePiece)
    },
    { code: 'PLUGIN_FAILED', message: expect.stringContaining('more than 32 MiB') },
  ],
  [
    'a failure with a code',
    // biome-ignore lint/correctness/useYield: it fails before
    async function* () {
      throw fail('ENV_INVALID', { name: 'MADE_UP_KEY', problem: 'was refused' })
    },
    { code: 'ENV_INVALID' },
  ],
  ['a backend without its method', null, { code: 'PLUGIN_SHAPE' }],
])('%s is an error with a code', async (_name, source, error) => {
  add('ant', source)
  await expect(paint(await open())).rejects.toMatchObject(error)
})

test('a backend that never ends is given up after four minutes, and at once when the caller gives up', async () => {
  let begun = 0
  const forever: ImageSource['generate'] = async function* (_wish, { signal }) {
    begun++
    await new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    yield png(9)
  }
  add('ant', forever)
  const late = paint(await open()).catch((error: unknown) => error)
  await expect.poll(() => begun).toBe(1)
  await clock.advance(240_000)
  expect(await late).toMatchObject({ code: 'TIMED_OUT' })
  const controller = new AbortController()
  const given = paint(await open(), { ...call, signal: controller.signal }).catch((error: unknown) => error)
  await expect.poll(() => begun).toBe(2)
  controller.abort()
  expect(await given).toMatchObject({ code: 'INTERRUPTED' })
  // Nobody knows whether they were painted all the same.
  await expect.poll(() => booked).toEqual(Array(2).fill(['ant', 'ant', 'unknown']))
})

test('a plugin whose manifest does not ask for pictures gets none', async () => {
  add('ant', 10)
  const images = limitImages(await open(), () => {
    throw fail('PLUGIN_UNDECLARED', { plugin: 'p', access: 'images', field: 'permissions.host' })
  })
  await expect(paint(images)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  await expect(images.describe({ image: png(9), question: '?' }, call)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  expect(opened).toEqual([])
})

const took: ImageSource['generate'] = async function* () {
  yield png(10)
  yield { input: 9, output: 1100 }
}

test('a picture is booked for the model of the settings before it is painted, and what it took is written down', async () => {
  let begun = 0
  add('ant', took)
  add('bee', 10)
  add('cat', async function* () {
    yield png(10)
    yield { input: 'much' } as never
  })
  add('fly', async function* (...given) {
    begun++
    yield* took(...given)
    throw fail('PLUGIN_FAILED', { plugin: 'image-fly', during: 'painting', detail: 'no' })
  })
  const config = { model: 'brush-2' }
  expect(await paint(await open('ant', { config }))).toEqual([10])
  await paint(await open('bee'))
  await paint(await open('cat'))
  const images = await open('fly', { config })
  await expect(paint(images)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  expect(booked).toEqual([
    ['ant', 'brush-2', { input: 9, output: 1100 }],
    ['bee', 'bee', 'unknown'],
    ['cat', 'cat', 'unknown'],
    ['fly', 'brush-2', 'nothing'],
  ])
  const refused = images
    .generate({ ...wish, prompt: 'too much' }, call)
    [Symbol.asyncIterator]()
    .next()
  await expect(refused).rejects.toMatchObject({ code: 'BUDGET_SPENT' })
  expect(begun).toBe(1)
})

test('another backend paints as soon as the settings name it', async () => {
  add('ant', 10)
  add('bee', 20)
  let wanted = 'ant'
  const images = await open(() => wanted)
  expect(await paint(images)).toEqual([10])
  wanted = 'bee'
  expect(await paint(images)).toEqual([20])
})
