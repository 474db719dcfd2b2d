import { type ImageShape, type ImageSource, imageShapes, imageTypeOf, maxImagePiece } from '../../contract/image.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, rulesOf, type SetUp, type Stage } from './stage.ts'

/** What drives an image backend: a service of the tests that paints. */
export interface ImageWorld extends SetUp, AsyncDisposable {
  /** A prompt that is painted. */
  readonly prompt: string
  /** A prompt that the service refuses. */
  readonly forbidden?: string
  /** A set-up whose service takes a prompt and never answers. */
  readonly silent?: SetUp
  /** Credentials that are refused. */
  readonly refused?: SetUp
}

/** What the suite for image backends needs. */
export interface ImageContractOptions extends RunOptions<'image'> {
  readonly world: () => Promise<ImageWorld>
}

type ImageStage = Stage<'image'>

/** The rules of an image backend. */
export function imageContract(options: ImageContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('generate', 'a picture of each shape comes, in pieces that cross the border', checkPictures),
    rule('errors', 'a prompt that is refused, and credentials that are refused, have a code', checkErrors),
    rule('abort', 'a picture that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: ImageStage, host, world: ImageWorld) => {
      await paint(stage, await open(stage, host), world.prompt)
    }),
  ]
}

async function open(stage: ImageStage, host: TestContext): Promise<ImageSource> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

interface Painting {
  readonly shape?: ImageShape
  readonly signal?: AbortSignal
}

async function paint(
  stage: ImageStage,
  source: ImageSource,
  prompt: string,
  { shape = 'square', signal }: Painting = {},
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of source.generate({ prompt, shape }, stage.call(signal))) {
    if (!(piece instanceof Uint8Array)) {
      const isCount = (count: unknown): boolean => typeof count === 'number' && Number.isInteger(count) && count >= 0
      stage.expect(isCount(piece.input) && isCount(piece.output), 'what a picture took is two whole numbers, input and output')
      continue
    }
    stage.expect(piece.length <= maxImagePiece, `a piece has ${piece.length} bytes, and at most ${maxImagePiece} may cross the border`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function checkPictures(stage: ImageStage, { prompt, ...setUp }: ImageWorld): Promise<void> {
  const source = await open(stage, stage.host(setUp))
  for (const shape of imageShapes) {
    const bytes = await stage.within(paint(stage, source, prompt, { shape }), `a ${shape} picture`)
    stage.expect(imageTypeOf(bytes) !== undefined, `what came for a ${shape} picture is no PNG, JPEG, GIF or WebP`)
  }
}

async function checkErrors(stage: ImageStage, world: ImageWorld): Promise<void> {
  const { forbidden, refused, prompt } = world
  stage.expect(forbidden !== undefined, lacks('forbidden'))
  const source = await open(stage, stage.host(world))
  await stage.rejection(paint(stage, source, forbidden), 'a prompt that is refused')
  const { env } = stage.subject.manifest
  stage.expect(refused !== undefined || !env.some(({ secret }) => secret), lacks('refused'))
  if (!refused) return stage.untried('refused')
  const painting = async (): Promise<unknown> => await paint(stage, await open(stage, stage.host(refused)), prompt)
  await stage.rejection(painting(), 'a picture with refused credentials')
}

async function checkAbort(stage: ImageStage, { silent, prompt }: ImageWorld): Promise<void> {
  const { net } = stage.subject.manifest.permissions
  stage.expect(silent !== undefined || (net?.value ?? 'none') === 'none', lacks('silent'))
  if (!silent) return stage.untried('silent')
  const { control } = stage.plugin
  const source = await open(stage, stage.host(silent))
  const controller = new AbortController()
  const painting = paint(stage, source, prompt, { signal: controller.signal }).then(
    () => 'painted',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the picture was not begun')
  controller.abort()
  stage.expect((await stage.within(painting, 'an aborted picture')) === 'rejected', 'an aborted picture was painted')
  await stage.until(async () => (await control.busy()) === 0, 'the picture goes on after abort')
}
