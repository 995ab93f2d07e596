#!/bin/sh
# Makes the namespace that clients and workers use. Histories of ended workflows are kept so many days: the records
# that prevent paying twice are in the home and stay.
set -eu
namespace=${TEMPORAL_NAMESPACE:-default}
temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$namespace" --retention "${TEMPORAL_RETENTION:-7d}"
