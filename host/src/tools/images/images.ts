import {
  type Call,
  type Context,
  type ImageSource,
  type Images,
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

export interface ImagesOptions extends OpenerOptions<'image', Context> {
  readonly catalog: FindImageBackend['catalog']
  /** `image.backend` as it is now. */
  readonly wanted: () => string
  /** Whether there is a model that may see. */
  readonly mayLook: () => boolean
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
  const { catalog, wanted, mayLook, clock, log, describe } = options
  const { opened, retire, close } = createOpener<'image', Context, ImageSource>(options, requireGenerate)
  const wish = () => imageWish({ catalog, wanted: wanted() })

  async function generate(asked: Parameters<ImageSource['generate']>[0], call: Call): Promise<Uint8Array> {
    const backend = chooseBackend(wish())
    if (!backend) throw fail('IMAGE_BACKEND_MISSING')
    const plugin = backend.plugin.manifest.id
    try {
      const bytes = await passCall(call, { clock, ms: generateMs, what: `Painting by ${plugin}` }, async (own) =>
        collect((await opened(backend)).generate(asked, own)),
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

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > mostBytes) throw new Error(`the picture has more than ${mostBytes / 1024 / 1024} MiB`)
    all.push(piece)
  }
  return Buffer.concat(all)
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
