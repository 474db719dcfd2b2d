import type { Notifier } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { describeEnd } from './describe-end.ts'

const notifier: Notifier<Config> = {
  async open({ config }) {
    return {
      hear: async ({ data }) => {
        const text = describeEnd(data, config.jobs)
        return text === undefined ? [] : [{ text, isError: true }]
      },
    }
  },
}

export default notifier
