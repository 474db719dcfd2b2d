import { type Home, openHome } from '#config/home/home.ts'
import type { HomeContext } from '../home-context.ts'

/** The home that a command line means. */
export function openHomeOf(
  { environment, profile }: Pick<HomeContext, 'environment' | 'profile'>,
  options: { readonly create?: boolean } = {},
): Home {
  return openHome({ environment, profile, ...options })
}
