import { type AwilixContainer, asFunction, asValue, createContainer, InjectionMode, type Resolver } from 'awilix/browser'

/** How each part of a scope is made, with the parts that it may use: a missing or misspelled one does not compile. */
export type Recipes<Own extends object, Whole extends object> = {
  readonly [Name in keyof Own]: Recipe<Own[Name], Whole>
}

/** One part: made at its first use and kept as long as its scope, or given as it is. */
export type Recipe<Part, Whole extends object> = { readonly make: (parts: Whole) => Part } | { readonly value: Part }

/** An open scope. It disposes of nothing: what a part sets up, it puts into a ledger. */
export interface Scope<Parts extends object> {
  readonly parts: Parts
  /** A scope below this one: it sees the parts of this one, and its own instead where the names are the same. */
  open<Own extends object>(recipes: Recipes<Own, Parts & Own>): Scope<Parts & Own>
}

/** Opens the scope at the top. One interface names the parts of a scope. */
export function openScope<Own extends object>(recipes: Recipes<Own, Own>): Scope<Own> {
  return fill(createContainer<Own>({ injectionMode: InjectionMode.PROXY, strict: true }), recipes)
}

function fill<Parts extends object, Own extends object>(container: AwilixContainer<Parts>, recipes: Recipes<Own, Parts>): Scope<Parts> {
  for (const [name, recipe] of Object.entries(recipes) as [string, Recipe<unknown, Parts>][]) container.register(name, toResolver(recipe))
  return {
    parts: container.cradle,
    open<Lower extends object>(lower: Recipes<Lower, Parts & Lower>) {
      const scope = createContainer<Parts & Lower>({ injectionMode: InjectionMode.PROXY, strict: true })
      for (const name of Object.keys(container.registrations)) scope.register(name, fromAbove(container, name))
      return fill(scope, lower)
    },
  }
}

function toResolver<Whole extends object>(recipe: Recipe<unknown, Whole>): Resolver<unknown> {
  return 'value' in recipe ? asValue(recipe.value) : asFunction(recipe.make).singleton()
}

// Not createScope: there a part of the scope above is made again in each scope that asks for it,
// unless it stands in the root, where names of different plugins would meet.
function fromAbove<Parts extends object>(container: AwilixContainer<Parts>, name: string): Resolver<unknown> {
  return { resolve: () => container.resolve(name), isLeakSafe: true }
}
