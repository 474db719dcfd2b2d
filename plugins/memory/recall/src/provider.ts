import type { Context, MemoryProvider } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { rankHits } from './rank.ts'

/** So many messages are looked at for one hit. */
const looks = 5

const provider: MemoryProvider<Config> = {
  async open({ config, clock }: Context<Config>) {
    return {
      recall: async (owner, query, call) => rankHits(await owner.search({ query, most: looks * config.most }, call), config, clock.now()),
    }
  },
}

export default provider
