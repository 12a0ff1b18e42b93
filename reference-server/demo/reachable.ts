import { readFileSync } from 'node:fs'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

/** Whether something answers 200 there. */
export function reachable(url: string, caFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? getHttps : getHttp
    get(url, { ca: readFileSync(caFile), agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
      // Not yet: nobody listens there.
      .on('error', () => resolve(false))
  })
}
