import { join } from 'node:path'
import type { Config } from './config.ts'
import type { LocalSetup } from './local.ts'
import type { DemoOrganization } from './seed.ts'

/** What `npm start` prints: where everything is, and commands for a shell that lead from a new case to its decision. */
export function welcome(
  config: Config,
  { directory, caFile, origins, files }: LocalSetup,
  organization: DemoOrganization,
): string {
  const { ingestUrl, portalUrl } = config
  const { admin, reviewer, applicationId, applicationKey, customerKey } = organization
  const file = (name: string) => shellWord(join(directory, name))
  const curl = `curl -sS --fail-with-body -w '\\n' --cacert ${shellWord(caFile)}`
  const portal = `${curl} -b ${file('cookies')} -H 'content-type: application/json'`
  const login = JSON.stringify({ email: reviewer.email, password: reviewer.password })
  return `
Countersign is running.

  ingest API   ${ingestUrl}
  portal       ${portalUrl}   (pages for a browser, and their API)
  health       http://${config.staffHost}:${config.staffPort}/readyz   (also /livez, /metrics)
  staff API    http://${config.staffHost}:${config.staffPort}/v1/staff   (token: ${files.staffToken})
  receiver     ${origins.receiver}   (its log: ${join(directory, 'receiver.log')})
  database     ${config.database}
  authority    ${caFile}
               programs that connect have to trust it; Node does with
               NODE_EXTRA_CA_CERTS=${shellWord(caFile)}

  admin        ${admin.email}   password ${admin.password}
  reviewer     ${reviewer.email}   password ${reviewer.password}
  application  ${applicationId}   key ${applicationKey}
               its customer key, for spans: ${customerKey}

A payment waits for a person: open ${portalUrl} in a browser, log in as the reviewer, and decide it. The browser warns
of the certificate, which the authority above signed: go on, or have it trust the authority.

The same by requests, in one shell. The application opens a case:

  CASE=$(${curl} ${ingestUrl}/v1/review-cases -H 'x-api-key: ${applicationKey}' \\
    -H 'content-type: application/json' \\
    -d '{"sessionId":"ses_1","checkpointId":"before-payment","reasonCategory":"high_risk_action",
         "presentation":{"action":"pay","amount":"1200 EUR"},"idempotencyKey":"'$(date +%s)'"}' |
    node -p 'JSON.parse(fs.readFileSync(0)).reviewCaseId'); echo $CASE

The reviewer logs in; the session's cookie is kept:

  ${curl} ${portalUrl}/v1/auth/login -c ${file('cookies')} \\
    -H 'content-type: application/json' -d '${login}'

claims the case, and is shown what the application wants to do:

  ${portal} \\
    ${portalUrl}/v1/review-cases/$CASE/claim -d '{}' | tee ${file('case.json')}

and approves exactly that:

  DECISION=$(node -p 'const seen = JSON.parse(fs.readFileSync(process.argv[1]));
    JSON.stringify({caseVersion: seen.caseVersion, presentationDigest: seen.presentationDigest,
      decision: "approved", comment: "The order is known."})' ${file('case.json')})
  ${portal} \\
    ${portalUrl}/v1/review-cases/$CASE/decide -d "$DECISION"

The receiver is told, and resumes the paused work:

  grep '"resume":true' ${file('receiver.log')}

Ctrl-C stops it; the directory keeps everything.
`
}

/** As one word for a shell, whatever the path holds. */
function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
