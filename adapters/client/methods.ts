import { type Caller, type CallOptions, call, type Input, type Operation } from './call.ts'
import { pagesOf } from './pages.ts'

/** The methods of a client: `<group>.<act>` of each operation. */
export function methodsOf(
  caller: Caller,
  operations: Readonly<Record<string, Operation>>,
): Record<string, Record<string, (input?: Input, options?: CallOptions) => unknown>> {
  const api: ReturnType<typeof methodsOf> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const [group = '', act = ''] = name.split('.')
    const { items, cursor } = operation
    api[group] ??= {}
    api[group][act] = (input = {}, options) => {
      const ask = (query: Input) => call(caller, operation, query, options)
      if (items === undefined) return ask(input)
      return pagesOf((query) => ask(query) as Promise<Input>, input, {
        items,
        ...(cursor && { cursor }),
      })
    }
  }
  return api
}
