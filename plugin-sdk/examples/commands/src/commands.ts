import type { Commands } from '@agent/plugin-sdk'
import { changeList } from './change-list.ts'
import type { Config } from './config.ts'

/** Runs `/sample_list`; the other command has a prompt and never comes here. */
const commands: Commands<Config> = {
  async open({ config, state }) {
    return {
      run: async ({ args }) => {
        const before = ((await state.get('list')) ?? []) as readonly string[]
        const after = changeList(before, args, config.most)
        if (after !== before) await state.set('list', after)
        return { text: after.map((thing) => `- ${thing}`).join('\n') || 'The list is empty.' }
      },
    }
  },
}

export default commands
