import type { Hooks } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { findFolder } from './find-folder.ts'

/** A gate answers `{ refuse }` or nothing; one that modifies answers the fields that change. */
const hooks: Hooks<Config> = {
  async open({ config }) {
    return {
      hooks: {
        'tool.before': async ({ args }) => {
          const folder = findFolder(args, config.folders)
          return folder === undefined ? undefined : { refuse: `${folder} is off limits` }
        },
        'turn.before': async ({ instructions }) =>
          config.sentence === undefined ? undefined : { instructions: [instructions, config.sentence].filter(Boolean).join('\n\n') },
      },
    }
  },
}

export default hooks
