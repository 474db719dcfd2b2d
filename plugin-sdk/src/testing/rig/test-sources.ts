import type { AuxiliaryModels, ToolContext } from '../../contract/context.ts'
import { fail } from '../../contract/errors.ts'
import type { Images } from '../../contract/image.ts'
import type { Call } from '../../contract/wire.ts'

interface Sources {
  readonly web: Partial<ToolContext['web']> | undefined
  readonly images: Images | undefined
  readonly models: AuxiliaryModels | undefined
}

/** The web, the pictures and the models of the tests, for a plugin whose manifest asks for them. */
export function createSources(
  need: (verb: 'web' | 'images' | 'models') => void,
  { web = {}, images = noImages, models = noModels }: Sources,
): Pick<ToolContext, 'web' | 'images' | 'models'> {
  return {
    web: createWeb(() => need('web'), web),
    images: createImages(() => need('images'), images),
    models: {
      ask: async (request, call) => {
        need('models')
        return await models.ask(request, call)
      },
    },
  }
}

function createWeb(need: () => void, { search, extract, crawl, resolve }: Partial<ToolContext['web']>): ToolContext['web'] {
  const method =
    <Asked, Answer>(what: string, run: ((asked: Asked, call: Call) => Promise<Answer>) | undefined) =>
    async (asked: Asked, call: Call): Promise<Answer> => {
      need()
      if (run) return await run(asked, call)
      throw fail('WEB_BACKEND_LACKS', { what })
    }
  return {
    search: method('search', search),
    extract: method('read pages', extract),
    crawl: method('follow links', crawl),
    resolve: method('look up addresses', resolve),
  }
}

const noModels: AuxiliaryModels = {
  ask: async () => {
    throw fail('NO_PROVIDER')
  },
}

const noImages: Images = {
  // biome-ignore lint/correctness/useYield: there is nothing to give
  generate: async function* () {
    throw fail('IMAGE_BACKEND_MISSING')
  },
  describe: async () => {
    throw fail('IMAGE_UNSEEN', { detail: 'there is none in this test' })
  },
}

function createImages(need: () => void, images: Images): Images {
  return {
    generate: async function* (wish, call) {
      need()
      yield* images.generate(wish, call)
    },
    describe: async (look, call) => {
      need()
      return await images.describe(look, call)
    },
  }
}
