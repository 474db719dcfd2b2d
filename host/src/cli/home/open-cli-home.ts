import { type Home, openHome } from '#config/home/home.ts'
import type { Cli } from '../console/cli.ts'

/** The home that a command line means. */
export function openCliHome(
  { environment, profile }: Pick<Cli, 'environment' | 'profile'>,
  options: { readonly create?: boolean } = {},
): Home {
  return openHome({ environment, profile, ...options })
}
