import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repo/source-files.ts'

interface Listed {
  readonly env?: readonly { readonly name: string; readonly prompt: string; readonly required?: boolean; readonly secret?: boolean }[]
  readonly contributes: { readonly platforms?: readonly { readonly id: string; readonly label: string }[] }
}

/** A platform that needs one variable, which is no secret, and no more. */
export function findSimplePlatform(): { readonly id: string; readonly name: string; readonly variable: string; readonly prompt: string } {
  for (const folder of readdirSync(join(root, 'plugins', 'platforms'))) {
    const file = join(root, 'plugins', 'platforms', folder, 'agent.plugin.json')
    const { env = [], contributes } = JSON.parse(readFileSync(file, 'utf8')) as Listed
    const [needed, ...more] = env.filter(({ required }) => required)
    const [platform] = contributes.platforms ?? []
    if (platform && needed?.secret === false && more.length === 0)
      return { id: platform.id, name: platform.label, variable: needed.name, prompt: needed.prompt }
  }
  throw new Error('No platform needs one variable alone.')
}
