import type { Panel } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { addThing, findThings, removeThing, type Thing } from './shopping-list.ts'

/** Answers what the pages of the manifest ask. */
const panel: Panel<Config> = {
  async open({ config, state, clock }) {
    const read = async (): Promise<readonly Thing[]> => ((await state.get('list')) ?? []) as unknown as readonly Thing[]
    const write = (list: readonly Thing[]): Promise<void> =>
      state.set(
        'list',
        list.map(({ thing, at }) => ({ thing, at })),
      )
    return {
      async run({ method, input, item }) {
        if (method === 'list') return { rows: findThings(await read(), String(input.find)).map(({ thing, at }) => ({ thing, at })) }
        if (method === 'remove') {
          await write(removeThing(await read(), item))
          return { said: `${item} is off the list.` }
        }
        const thing = String(input.thing).trim()
        await write(addThing(await read(), { thing, at: clock.now() }, config.most))
        return { said: `${thing} is on the list.` }
      },
    }
  },
}

export default panel
