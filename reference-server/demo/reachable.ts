import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'

/** Whether something answers 200 there. */
export async function reachable(url: string, caFile: string): Promise<boolean> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } })
  try {
    const answer = await request(url, { dispatcher })
    await answer.body.dump()
    return answer.statusCode === 200
  } catch {
    // Not yet: nobody listens there.
    return false
  } finally {
    await dispatcher.destroy()
  }
}
