import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-files',
  name: 'Files',
  description: 'Reads, writes, edits and searches files of the workspace.',
  toolsets: {
    files: {
      label: 'Files',
      sets: ['coding', 'debugging'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { fs: { value: { read: ['/'], write: ['/'] }, reason: 'Reads and writes the files that the conversation is about.' } },
})
