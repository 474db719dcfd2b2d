import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Under which names our providers stand in the list of prices. A subscription has no price of a token. */
const listed = {
  anthropic: 'anthropic',
  arcee: 'arcee',
  'azure-foundry': 'azure',
  bedrock: 'aws',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  gemini: 'google',
  groq: 'groq',
  'kimi-coding': 'moonshotai',
  minimax: 'minimax',
  mistral: 'mistral',
  novita: 'novita',
  openai: 'openai',
  openrouter: 'openrouter',
  together: 'together',
  vertex: 'google',
  xai: 'x-ai',
  zai: 'zhipuai',
}

/** Dollars for a million tokens, by our name for the kind of token. */
const kinds = { input: 'input_mtok', output: 'output_mtok', cacheRead: 'cache_read_mtok', cacheWrite: 'cache_write_mtok' }

/**
 * What a million tokens of a painted picture cost at models for which the list has the price of their text; from the vendors' pages of prices,
 * 2026-11-26.
 */
const pictures = {
  'gemini/gemini-2.5-flash-image': 30,
  'gemini/gemini-3.1-flash-image': 60,
  'gemini/gemini-3-pro-image': 120,
  'openai/gpt-image-1.5': 32,
}

/** The prices of models, from the list that `@pydantic/genai-prices` brings. */
export async function writeModelPrices(root, { check }) {
  const file = join(root, 'host', 'src', 'models', 'catalog', 'prices.gen.ts')
  const { findProvider } = await import('@pydantic/genai-prices')
  const { version } = JSON.parse(readFileSync(packageFile(), 'utf8'))
  const rows = Object.entries(listed).flatMap(([provider, id]) =>
    findProvider({ providerId: id }).models.flatMap((model) => describe(provider, model)),
  )
  const text = [
    `// Written by npm run generate from @pydantic/genai-prices ${version}. Dollars for a million tokens; \`*\` stands for any text.`,
    "import type { PriceRow } from './price-row.ts'",
    '',
    `export const source = '@pydantic/genai-prices ${version}'`,
    'export const prices: readonly PriceRow[] = [',
    ...rows.map((row) => `  ${JSON.stringify(row)},`),
    ']',
    '',
  ].join('\n')
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return []
  if (!check) writeFileSync(file, text)
  return [file]
}

function packageFile() {
  const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices')
  return join(dirname(dirname(entry)), 'package.json')
}

function describe(provider, { match, context_window: context, prices }) {
  const names = namesOf(match)
  const times = Array.isArray(prices) ? prices : [{ prices }]
  const known = times.flatMap(({ constraint, prices: each }) => {
    // By the hour: the one that holds most of the day stands first.
    if (constraint?.type === 'time_of_date' || each.input_mtok === undefined || each.output_mtok === undefined) return []
    return [{ ...(constraint ? { from: constraint.start_date } : {}), ...priceOf(each) }]
  })
  const picture = names.map((name) => pictures[`${provider}/${name}`]).find((price) => price !== undefined)
  const rows = picture === undefined ? known : known.map((price) => ({ ...price, output: picture }))
  return names.length === 0 || rows.length === 0 ? [] : [{ provider, names, ...(context ? { context } : {}), prices: rows }]
}

/** Of prices that rise with the length of a request both ends stand here: the lowest, and the highest as `long`. */
function priceOf(prices) {
  const pick = (of) =>
    Object.fromEntries(Object.entries(kinds).flatMap(([kind, key]) => (prices[key] === undefined ? [] : [[kind, of(prices[key])]])))
  const lowest = pick((price) => (typeof price === 'number' ? price : price.base))
  const highest = pick((price) => (typeof price === 'number' ? price : Math.max(price.base, ...price.tiers.map((tier) => tier.price))))
  return JSON.stringify(lowest) === JSON.stringify(highest) ? lowest : { ...lowest, long: highest }
}

function namesOf(match) {
  if (match.or) return match.or.flatMap(namesOf)
  if (match.equals !== undefined) return [match.equals]
  if (match.starts_with !== undefined) return [`${match.starts_with}*`]
  if (match.ends_with !== undefined) return [`*${match.ends_with}`]
  return match.contains !== undefined ? [`*${match.contains}*`] : []
}
