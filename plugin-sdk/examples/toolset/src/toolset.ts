import type { Toolset } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { createNote } from './note.ts'
import { createWait } from './wait.ts'

const toolset: Toolset<Config> = {
  async open({ config, state, clock }) {
    return { tools: { sample_note: createNote(state, config.most_notes), sample_wait: createWait(clock) } }
  },
}

export default toolset
