export { RiskGate } from './gate.js'
export type { RiskPorts } from './ports.js'
export {
  DEFAULT_RULES,
  type KillSwitchState,
  RISK_RULES,
  type RiskCheck,
  type RiskRefusal,
  type RiskRules,
  refusalCode,
  riskRulesChange,
} from './schema.js'
