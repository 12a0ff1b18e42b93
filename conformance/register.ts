/** How a suite registers a test; `test` of node:test fits, and so does any runner's with (name, options, body). */
export type RegisterTest = (
  name: string,
  options: { readonly skip?: string },
  run: () => Promise<void>,
) => unknown

/** What a product can do: absent means that it can, a text is the reason why it cannot and is printed with the skip. */
export type Supports<Capability extends string> = { readonly [C in Capability]?: true | string }

/** A test's options for what it needs: a skip with its reason where the product lacks it. */
export function needs<C extends string>(
  supports: Supports<C>,
  ...capabilities: readonly C[]
): { readonly skip?: string } {
  for (const capability of capabilities) {
    const declared = supports[capability]
    if (typeof declared === 'string') return { skip: `no ${capability}: ${declared}` }
  }
  return {}
}
