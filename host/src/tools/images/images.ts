import {
  type Call,
  type Context,
  type ImageSource,
  type Images,
  type ImageWish,
  imageTypeOf,
  type Log,
  maxImagePiece,
  type ToolManifest,
} from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { passCall } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { chooseBackend, offersBackend } from '../choose-backend.ts'
import { createOpener, type OpenerOptions } from '../opener.ts'
import { type FindImageBackend, imageWish } from './find-image-backend.ts'

/** Tokens of the words and of the picture. */
export type ImageTook = Exclude<PieceOf<ReturnType<ImageSource['generate']>>, Uint8Array>
type PieceOf<Pieces> = Pieces extends AsyncIterable<infer Piece> ? Piece : never

/** Books a picture before it is painted; rejects where a budget does not allow it. */
export type BookPicture = (picture: {
  readonly provider: string
  readonly model: string
  readonly prompt: string
  /** The call that it is painted for. */
  readonly call: Pick<Call, 'id'>
}) => Promise<{
  /** Writes down what it took; it never rejects. */
  settle(took: ImageTook | 'unknown' | 'nothing'): Promise<void>
}>

export interface ImagesOptions extends OpenerOptions<'image', Context> {
  readonly catalog: FindImageBackend['catalog']
  /** `image.backend` as it is now. */
  readonly wanted: () => string
  /** Whether there is a model that may see. */
  readonly mayLook: () => boolean
  readonly book: BookPicture
  /** Asks a model that sees. */
  readonly describe: Images['describe']
  readonly log: Log
}

/** Pictures, through the backend and the model that are chosen now. */
export interface HostImages extends Images {
  /** Whether there is a backend that paints, or a model that may see. */
  offers(what: NonNullable<ToolManifest['needsImages']>): boolean
  retire(contribution: Contribution<'image'>): Promise<void>
  close(): Promise<void>
}

/** Services take up to two minutes for a large picture. */
const generateMs = 240_000
const mostBytes = 32 * 1024 * 1024

export function createImages(options: ImagesOptions): HostImages {
  const { catalog, wanted, mayLook, clock, log, describe, book } = options
  const models = new WeakMap<Contribution<'image'>, string>()
  const openContext: typeof options.openContext = async (contribution) => {
    const made = await options.openContext(contribution)
    const { config } = made.context
    const model = typeof config === 'object' && config !== null && 'model' in config ? config.model : undefined
    if (typeof model === 'string') models.set(contribution, model)
    return made
  }
  const { opened, retire, close } = createOpener<'image', Context, ImageSource>({ ...options, openContext }, requireGenerate)
  const wish = () => imageWish({ catalog, wanted: wanted() })

  async function generate(asked: Parameters<ImageSource['generate']>[0], call: Call): Promise<Uint8Array> {
    const backend = chooseBackend(wish())
    if (!backend) throw fail('IMAGE_BACKEND_MISSING')
    const plugin = backend.plugin.manifest.id
    try {
      const source = await opened(backend)
      const bytes = await passCall(call, { clock, ms: generateMs, what: `Painting by ${plugin}` }, (own) =>
        bookedPicture(backend, asked, () => source.generate(asked, own), own),
      )
      if (imageTypeOf(bytes) === undefined) throw new Error('what came is no picture')
      return bytes
    } catch (error) {
      if (isAgentError(error, 'INTERRUPTED')) throw error
      const coded = isAgentError(error)
        ? error
        : fail('PLUGIN_FAILED', { plugin, during: 'painting', detail: detailOf(error) }, { cause: error })
      log.warn('an image backend failed', { plugin, problem: coded.message })
      throw coded
    }
  }

  async function bookedPicture(
    backend: Contribution<'image'>,
    { prompt }: ImageWish,
    paint: () => ReturnType<ImageSource['generate']>,
    call: Call,
  ): Promise<Uint8Array> {
    const booked = await book({ provider: backend.id, model: models.get(backend) ?? backend.id, prompt, call })
    try {
      const { bytes, took } = await collect(paint())
      await booked.settle(took ?? 'unknown')
      return bytes
    } catch (error) {
      // One that was refused took nothing; one that was given up may have been painted.
      await booked.settle(call.signal.aborted ? 'unknown' : 'nothing')
      throw error
    }
  }

  return {
    async *generate(asked, call) {
      const bytes = await generate(asked, call)
      for (let at = 0; at < bytes.length; at += maxImagePiece) yield bytes.subarray(at, at + maxImagePiece)
    },
    describe,
    offers: (what) => (what === 'generate' ? offersBackend(wish()) : mayLook()),
    retire,
    close,
  }
}

async function collect(pieces: ReturnType<ImageSource['generate']>): Promise<{ readonly bytes: Uint8Array; readonly took?: ImageTook }> {
  const all: Uint8Array[] = []
  let length = 0
  let told: ImageTook | undefined
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) {
      told = piece
      continue
    }
    length += piece.length
    if (length > mostBytes) throw new Error(`the picture has more than ${mostBytes / 1024 / 1024} MiB`)
    all.push(piece)
  }
  const took = tookOf(told)
  return { bytes: Buffer.concat(all), ...(took ? { took } : {}) }
}

/** Undefined where a backend of others says something else than two counts. */
function tookOf({ input, output }: Partial<ImageTook> = {}): ImageTook | undefined {
  const isCount = (count: number | undefined): count is number => Number.isInteger(count) && Number(count) >= 0
  return isCount(input) && isCount(output) ? { input, output } : undefined
}

function requireGenerate({ plugin, spec }: Contribution<'image'>, source: ImageSource): void {
  if (typeof source?.generate === 'function') return
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem: 'does not provide generate' })
}

/** Pictures as a plugin gets them: `need` throws where its manifest does not ask for them. */
export function limitImages({ generate, describe }: Images, need: () => void): Images {
  return Object.freeze({
    generate: async function* (wish: Parameters<Images['generate']>[0], call: Call) {
      need()
      yield* generate(wish, call)
    },
    describe: async (look: Parameters<Images['describe']>[0], call: Call) => {
      need()
      return await describe(look, call)
    },
  })
}
