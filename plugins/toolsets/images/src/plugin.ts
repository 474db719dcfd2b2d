import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-images',
  name: 'Images',
  description: 'Paints pictures and looks at them.',
  toolsets: {
    images: {
      label: 'Images',
      sets: ['coding', 'safe'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'Writes the pictures that are painted, and reads those that are looked at.' },
    host: { value: ['images'], reason: 'Paints and looks through the image backend and the model that were chosen.' },
  },
})
