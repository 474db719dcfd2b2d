/**
 * Imports a module by its URL. The bundle is no module of Node's, and is handed this by its loader: `host/install/bundle.mjs` puts that in
 * the place of this file.
 */
export const importFile = (url: string): Promise<unknown> => import(/* @vite-ignore */ url)
