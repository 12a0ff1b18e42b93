import type { Receiver } from '../join-receiver.ts'

/** Options of the Next.js host. */
export interface NextOptions {
  /** `after` of `next/server`: runs handlers after the answer, for serverless functions. */
  readonly after?: (work: () => Promise<unknown>) => void
}

/** A Next route handler, `app/…/route.ts`: `export const { POST } = nextRoute(receiver, { after })`. */
export function nextRoute(
  receiver: Pick<Receiver, 'fetch' | 'drain'>,
  options: NextOptions = {},
): { readonly POST: (request: Request) => Promise<Response> } {
  return {
    async POST(request) {
      const response = await receiver.fetch(request)
      options.after?.(() => receiver.drain())
      return response
    },
  }
}
